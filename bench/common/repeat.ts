/** Runs a command again and again until the signal interrupts it. Resolves to how often it has ended well. */
export async function repeatUntil(
  signal: AbortSignal,
  command: () => readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<number> {
  let ended = 0;
  while (!signal.aborted) {
    const child = Bun.spawn([...command()], {
      cwd,
      env: { PATH: process.env.PATH ?? "", ...env },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    const interrupt = () => child.kill("SIGINT");
    signal.addEventListener("abort", interrupt);
    const [exitCode, err] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    signal.removeEventListener("abort", interrupt);
    if (exitCode === 0) ended++;
    else if (!signal.aborted) throw new Error(`${child.pid} ended with exit code ${exitCode}: ${err}`);
  }
  return ended;
}
