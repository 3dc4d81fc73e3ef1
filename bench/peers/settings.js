// The settings of the peers.

const { HOST = "127.0.0.1", PORT = "3000", DATABASE = "animals.db", API_KEY, PER_MINUTE = "1000" } = process.env;
if (!API_KEY) throw new Error("API_KEY must be set");

export const host = HOST;
export const port = Number(PORT);
export const database = DATABASE;
export const apiKey = API_KEY;
export const perMinute = Number(PER_MINUTE);
export const petsUrl = `http://${host}:${port}/v1/pets`;
