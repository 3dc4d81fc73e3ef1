/** True if system calls can be traced here, and made to fail. */
export const canTrace = Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).success;
