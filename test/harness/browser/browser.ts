import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { CHROMIUM, CHROMIUM_OPTIONS } from "./chromium.ts";

export { CHROMIUM };

/** Reading the text of a large page is work for it, so it is not done all the time. */
const POLL_MS = 100;

export interface View {
  readonly width: number;
  readonly height?: number;
  readonly isDark?: boolean;
  /** A script to run before those of the page. */
  readonly script?: string;
}

/** A message of the DevTools protocol. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol is not typed here
type Message = any;

/** A page of a real browser, driven over the DevTools protocol. */
export class Page {
  /** The URLs of all its requests. */
  readonly requested: string[] = [];
  /** Errors: on the console, of policies, and of failed loads. */
  readonly complaints: string[] = [];
  readonly #answers = new Map<number, (message: Message) => void>();
  #lastId = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data))));
    socket.addEventListener("close", () => {
      for (const id of [...this.#answers.keys()]) this.#receive({ id, error: { message: "the tab was closed" } });
    });
  }

  static async open(
    url: string,
    { width, height = 900, isDark = false, script }: View = { width: 1280 },
  ): Promise<Page> {
    const page = new Page(await connect());
    for (const domain of ["Page", "Network", "Runtime", "Log", "Security"]) await page.send(`${domain}.enable`);
    await page.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: width < 600,
    });
    const scheme = { name: "prefers-color-scheme", value: isDark ? "dark" : "light" };
    await page.send("Emulation.setEmulatedMedia", { features: [scheme] });
    if (script) await page.send("Page.addScriptToEvaluateOnNewDocument", { source: script });
    await page.send("Page.navigate", { url });
    await page.until(`location.href !== "about:blank" && document.readyState === "complete"`);
    return page;
  }

  get #isClosed(): boolean {
    return this.socket.readyState !== WebSocket.OPEN;
  }

  send(method: string, params: object = {}): Promise<Message> {
    if (this.#isClosed) return Promise.reject(new Error("the tab is closed, or its browser has ended"));
    const id = ++this.#lastId;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) =>
      this.#answers.set(id, ({ error, result }) => (error ? reject(new Error(error.message)) : resolve(result))),
    );
  }

  /** The value of an expression in the page. */
  async evaluate<T = unknown>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true in the page. */
  async until(expression: string): Promise<void> {
    const isTrue = (): Promise<boolean> =>
      this.evaluate<boolean>(`Boolean(${expression})`).catch((error) => {
        if (this.#isClosed) throw error;
        return false;
      });
    while (!(await isTrue())) await Bun.sleep(POLL_MS);
  }

  text(): Promise<string> {
    return this.evaluate<string>("document.body.innerText");
  }

  /** Clicks the n-th button with this text. */
  async click(text: string, within = "body", nth = 0): Promise<void> {
    const button = `[...document.querySelectorAll(${JSON.stringify(`${within} button`)})].filter((button) => button.innerText.includes(${JSON.stringify(text)}))[${nth}]`;
    await this.until(button);
    await this.evaluate(`${button}.click()`);
  }

  /** Replaces the text of an element with real input events, for editors that rely on keys and mouse. */
  async type(element: string, text: string): Promise<void> {
    await this.until(element);
    const [x, y] = await this.evaluate<[number, number]>(
      `(({ left, top, width, height }) => [left + width / 2, top + height / 2])(${element}.getBoundingClientRect())`,
    );
    for (const type of ["mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    const selectAll = { key: "a", code: "KeyA", windowsVirtualKeyCode: 65, modifiers: 2, commands: ["selectAll"] };
    for (const type of ["rawKeyDown", "keyUp"]) await this.send("Input.dispatchKeyEvent", { type, ...selectAll });
    await this.send("Input.insertText", { text });
  }

  /** Closes the tab, so that nothing in it goes on. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.socket.addEventListener("close", resolve));
    // The tab may be gone before it has answered.
    await Promise.all([closed, this.send("Page.close").catch(() => {})]);
  }

  #receive(message: Message): void {
    if (message.id !== undefined) {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
      return;
    }
    const { method, params } = message;
    if (method === "Network.requestWillBeSent") this.requested.push(params.request.url);
    else if (method === "Log.entryAdded") this.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    else if (method === "Runtime.exceptionThrown")
      this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
      this.complaints.push(params.args.map((arg: Message) => arg.value ?? arg.description).join(" "));
  }
}

/** The DevTools address of the browser, one for all tests of a file. */
const BROWSER = CHROMIUM ? await startBrowser(CHROMIUM) : "";

/** Opens a new tab. */
async function connect(): Promise<WebSocket> {
  const target = (await (await fetch(`${BROWSER}/json/new?about:blank`, { method: "PUT" })).json()) as Message;
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  return socket;
}

async function startBrowser(chromium: string): Promise<string> {
  const options = [
    ...CHROMIUM_OPTIONS,
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--remote-debugging-port=0",
  ];
  const child = Bun.spawn([chromium, ...options, `--user-data-dir=${temporaryFolder()}`, "about:blank"], {
    stdout: "ignore",
    stderr: "pipe",
  });
  atEnd(async () => {
    // Killed at once, it would leave its own processes behind.
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    await child.exited;
    clearTimeout(timer);
  });
  let said = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stderr) {
    said += decoder.decode(chunk, { stream: true });
    const address = /DevTools listening on ws:\/\/([^/]+)\//.exec(said)?.[1];
    if (address) return `http://${address}`;
  }
  throw new Error(`the browser did not start: ${said}`);
}
