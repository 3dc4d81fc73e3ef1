/** Whether system calls can be watched here, and made to fail. */
export const canTrace = Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).success;
