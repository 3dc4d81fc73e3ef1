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

declare module "*/standalone.js" {
  const path: string;
  export default path;
}
