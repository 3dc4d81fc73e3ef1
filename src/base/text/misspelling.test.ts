import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SETTINGS } from "../../config.ts";
import { misspeltInEnvironment, misspeltInFile, wordingOf } from "./misspelling.ts";

const NAMES = Object.keys(SETTINGS);

const meantBy = (name: string): string | undefined => misspeltInEnvironment([name], NAMES)[0]?.meant;

/** Variables that shells, desktops, build servers, containers, clouds and other programs set. */
const OTHERS = `
  _ BASH BASH_ENV CI CI_JOB_ID CI_SERVER_HOST CLASSPATH COLORTERM COLUMNS COMPOSE_PROJECT_NAME CONDA_PREFIX CPU
  DBUS_SESSION_BUS_ADDRESS DEBIAN_FRONTEND DEBUG DISPLAY DOCKER_HOST DYNO EDITOR EMAIL ENV EUID FLY_REGION FORCE_COLOR
  GIT_AUTHOR_NAME GITHUB_ACTIONS GITHUB_TOKEN GOPATH GPG_TTY HISTSIZE HOME HOSTNAME HOSTTYPE HTTP_PROXY http_proxy
  HTTPS_PROXY INVOCATION_ID IFS INIT_CWD JAVA_HOME JOURNAL_STREAM KUBECONFIG KUBERNETES_PORT_443_TCP_PROTO LANG LANGUAGE
  LC_ALL LESS LINES LISTEN_FDS LISTEN_PID LOG LOGNAME LOG_FILE LOG_FORMAT LOG_PATH LS_COLORS MACHTYPE MAIL MAILTO MANPATH
  MEMORY_LIMIT MYSQL_HOST MYSQL_PORT NO_COLOR no_proxy NODE_ENV NODE_OPTIONS NODE_PATH NOTIFY_SOCKET NVM_DIR OLDPWD
  OMP_NUM_THREADS OPENSSL_CONF OPERATOR_NAMESPACE OSTYPE PAGER PATH PGDATABASE PGHOST PGPASSWORD PGPORT PGUSER PID POD_IP
  POD_NAME PORTS POSTGRES_DB POSTGRES_HOST POSTGRES_PASSWORD POSTGRES_PORT POSTGRES_URL PROMPT PS1 PUBLIC_DIR PUBLIC_IP
  PUBLIC_KEY PUBLIC_PATH PWD RANDOM REDIS_HOST REDIS_PASSWORD REDIS_PORT REDIS_PORT_6379_TCP REDIS_SERVICE_HOST REDIS_TLS
  RAILWAY_ENVIRONMENT_NAME RENDER SECRET_KEY SECONDS SENTRY_DSN SENTRY_ENVIRONMENT SHELL SHLVL SSH_AUTH_SOCK
  SSH_CLIENT SSH_CONNECTION SSH_TTY SSL_CERT_FILE SUDO_USER SYSTEMD_EXEC_PID TERM TERM_PROGRAM TMPDIR TMUX TZ UID USER
  VERSION VIRTUAL_ENV VISUAL WATCHDOG_USEC WEB_CONCURRENCY WINDOWID XAUTHORITY XDG_RUNTIME_DIR XDG_SESSION_TYPE ZDOTDIR
  DATABASE_HOST DATABASE_NAME DATABASE_PASSWORD DATABASE_PORT DATABASE_SSL DATABASE_TYPE DATABASE_USER DB_HOST DB_PORT
  DB_URL HOSTS HOST_IP HOT METRICS_ENABLED METRICS_PATH MOST PART POST PRODUCTION PROXY SERVER_PORT SORT SPORT SPOT
  STAGING THREAD_COUNT TRUST npm_config_loglevel npm_config_user_agent npm_lifecycle_event npm_package_version
`
  .trim()
  .split(/\s+/);

const SERVICES = ["ANIMAL_STORE", "REDIS", "POSTGRES", "KUBERNETES", "NGINX", "DB", "DATABASE", "PUBLIC", "API", "LOG"];
/** Variables that Kubernetes, and Docker's links, set for every service. */
const SERVICE_VARIABLES = [
  ...["PORT", "SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "NAME", "ENV_PORT"],
  ...["PORT_8080_TCP", "PORT_8080_TCP_ADDR", "PORT_8080_TCP_PORT", "PORT_8080_TCP_PROTO"],
];

describe("a misspelt setting", () => {
  test.each([
    ["PROT", "PORT"],
    ["PPORT", "PORT"],
    ["HSOT", "HOST"],
    ["port", "PORT"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_ULR", "DATABASE_URL"],
    ["DATABASEURL", "DATABASE_URL"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["REDS_URL", "REDIS_URL"],
    ["TRUSTED_PROXIE", "TRUSTED_PROXIES"],
    ["ENVIROMENT", "ENVIRONMENT"],
    ["METRIC_PORT", "METRICS_PORT"],
    ["THREAD", "THREADS"],
  ])("%s is taken for %s", (name, meant) => {
    expect(meantBy(name)).toBe(meant);
  });

  test("is found whichever two letters of whichever setting change places", () => {
    const swapped = fc.constantFrom(...NAMES).chain((name) =>
      fc.nat({ max: name.length - 2 }).map((i) => ({
        name,
        typed: name.slice(0, i) + name[i + 1] + name[i] + name.slice(i + 2),
        isWithinWord: name[i] !== "_" && name[i + 1] !== "_" && name[i] !== name[i + 1],
      })),
    );
    fc.assert(
      fc.property(swapped, ({ name, typed, isWithinWord }) => {
        fc.pre(isWithinWord);
        expect(meantBy(typed)).toBe(name);
      }),
    );
  });

  test("names both", () => {
    expect(wordingOf({ name: "PROT", meant: "PORT" })).toBe("PROT is not a setting: did you mean PORT?");
  });
});

describe("no false alarm", () => {
  test("comes from settings themselves", () => {
    expect(misspeltInEnvironment(NAMES, NAMES)).toEqual([]);
    for (const name of NAMES) expect([meantBy(name), misspeltInFile([name], NAMES)]).toEqual([undefined, []]);
  });

  test("comes from any set of variables that real environments have", () => {
    expect(OTHERS.length).toBeGreaterThan(150);
    fc.assert(
      fc.property(fc.subarray(OTHERS), fc.subarray(SERVICES), fc.subarray(NAMES), (others, services, settings) => {
        const links = services.flatMap((service) => SERVICE_VARIABLES.map((variable) => `${service}_${variable}`));
        expect(misspeltInEnvironment([...others, ...links, ...settings], NAMES)).toEqual([]);
      }),
    );
    const links = SERVICES.flatMap((service) => SERVICE_VARIABLES.map((variable) => `${service}_${variable}`));
    expect(misspeltInEnvironment([...OTHERS, ...links], NAMES)).toEqual([]);
  });

  test("comes from what this very test runs in", () => {
    expect(misspeltInEnvironment(Object.keys(process.env), NAMES)).toEqual([]);
  });

  test("comes from a name that is close to a setting which is set, too", () => {
    expect(misspeltInEnvironment(["LOGLEVEL", "LOG_LEVEL"], NAMES)).toEqual([]);
  });
});

describe("in a file of settings", () => {
  test("one letter more, fewer or other is enough, and the setting itself may be there", () => {
    expect(misspeltInFile(["PORT", "PORTS", "DATABASE_URI", "HOTS", "REDIS_PORT", "POSTGRES_PASSWORD"], NAMES)).toEqual(
      [
        { name: "PORTS", meant: "PORT" },
        { name: "DATABASE_URI", meant: "DATABASE_URL" },
        { name: "HOTS", meant: "HOST" },
      ],
    );
  });
});
