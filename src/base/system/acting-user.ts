// Root who works in a folder of another user acts as that user there: whatever is put in its way, such as a symbolic
// link in the place of a file, leads no further than that user could go alone.

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Further groups of root are not needed again. */
const ROOT: SystemUser = { uid: 0, gid: 0 };

export const isRoot = (): boolean => process.getuid?.() === 0;

/** Gives all threads of a process of root the rights of another user. It can take back its own. */
export function actAs({ uid, gid }: SystemUser): void {
  // Only root may change groups.
  process.seteuid?.(ROOT.uid);
  process.setgroups?.([gid]);
  process.setegid?.(gid);
  process.seteuid?.(uid);
}

export const actAsRoot = (): void => actAs(ROOT);

/** Does one step as another user, if there is one. */
export function actingAs<Result>(user: SystemUser | undefined, step: () => Result): Result {
  if (!user) return step();
  actAs(user);
  try {
    return step();
  } finally {
    actAsRoot();
  }
}
