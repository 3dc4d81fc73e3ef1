declare module "*.bash" {
  const text: string;
  export default text;
}

declare module "*.zsh" {
  const text: string;
  export default text;
}

declare module "*.fish" {
  const text: string;
  export default text;
}

declare module "*.sql" {
  const text: string;
  export default text;
}

declare module "*.lua" {
  const text: string;
  export default text;
}

declare module "*/reference.js" {
  const text: string;
  export default text;
}

declare module "*/exact-integers.js" {
  const text: string;
  export default text;
}

declare module "*.ico" {
  const path: string;
  export default path;
}

declare module "*/standalone.js" {
  const path: string;
  export default path;
}

declare module "workerd" {
  /** The path of the executable. */
  const path: string;
  export default path;
  export const compatibilityDate: string;
}
