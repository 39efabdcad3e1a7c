/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables, and how older ones become these. A script that was released is never edited: the
 * next version gets a script of its own. */
#include <stdio.h>

#include "store/database.h"

/* "clpr": says in the file's header that this is a culprit store. */
#define APPLICATION_ID "1668050034"

static const char version_1[] = "CREATE TABLE jobs ("
                                "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
                                "  name TEXT NOT NULL,"
                                "  kind TEXT NOT NULL,"
                                "  document TEXT NOT NULL,"
                                "  normalised TEXT NOT NULL,"
                                "  idempotency_key TEXT UNIQUE,"
                                "  state TEXT NOT NULL,"
                                "  cancel_requested INTEGER NOT NULL DEFAULT 0,"
                                "  engine TEXT NOT NULL DEFAULT 'auto',"
                                "  shift INTEGER NOT NULL DEFAULT 0,"
                                "  message TEXT NOT NULL DEFAULT '',"
                                "  verdict TEXT,"
                                "  progress TEXT NOT NULL DEFAULT '{}',"
                                "  result TEXT,"
                                "  good_asked TEXT,"
                                "  created_ns INTEGER NOT NULL,"
                                "  started_ns INTEGER NOT NULL DEFAULT 0,"
                                "  finished_ns INTEGER NOT NULL DEFAULT 0"
                                ") STRICT;"
                                "CREATE INDEX jobs_by_state ON jobs (state, id);"
                                "CREATE TABLE commits ("
                                "  job INTEGER NOT NULL REFERENCES jobs (id),"
                                "  number INTEGER NOT NULL,"
                                "  id TEXT NOT NULL,"
                                "  subject TEXT NOT NULL,"
                                "  author TEXT NOT NULL,"
                                "  author_time INTEGER NOT NULL,"
                                "  parents TEXT NOT NULL," /* numbers, a space between two */
                                "  PRIMARY KEY (job, number)"
                                ") STRICT, WITHOUT ROWID;"
                                "CREATE TABLE builds ("
                                "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
                                "  recipe TEXT NOT NULL,"
                                "  outcome TEXT NOT NULL,"
                                "  message TEXT NOT NULL,"
                                "  image TEXT NOT NULL,"
                                "  log TEXT NOT NULL,"
                                "  config TEXT NOT NULL,"
                                "  build_id TEXT NOT NULL,"
                                "  release TEXT NOT NULL,"
                                "  compiler TEXT NOT NULL,"
                                "  wall_ns INTEGER NOT NULL,"
                                "  created_ns INTEGER NOT NULL"
                                ") STRICT;"
                                "CREATE INDEX builds_by_recipe ON builds (recipe, id);"
                                "CREATE TABLE job_builds ("
                                "  job INTEGER NOT NULL REFERENCES jobs (id),"
                                "  commit_number INTEGER NOT NULL,"
                                "  attempt INTEGER NOT NULL,"
                                "  build INTEGER NOT NULL REFERENCES builds (id),"
                                "  fresh INTEGER NOT NULL,"
                                "  UNIQUE (job, commit_number, attempt)"
                                ") STRICT;"
                                "CREATE TABLE trials ("
                                "  job INTEGER NOT NULL REFERENCES jobs (id),"
                                "  number INTEGER NOT NULL,"
                                "  commit_number INTEGER NOT NULL,"
                                "  purpose TEXT NOT NULL,"
                                "  position INTEGER NOT NULL,"
                                "  attempt INTEGER NOT NULL,"
                                "  seed INTEGER NOT NULL,"
                                "  build INTEGER NOT NULL REFERENCES builds (id),"
                                "  outcome TEXT NOT NULL,"
                                "  message TEXT NOT NULL,"
                                "  digest TEXT NOT NULL,"
                                "  console TEXT NOT NULL,"
                                "  records TEXT NOT NULL,"
                                "  identity TEXT NOT NULL,"
                                "  topology TEXT NOT NULL,"
                                "  wall_ns INTEGER NOT NULL,"
                                "  finished_ns INTEGER NOT NULL,"
                                "  PRIMARY KEY (job, number),"
                                "  UNIQUE (job, commit_number, purpose, position, attempt)"
                                ") STRICT;"
                                "CREATE TABLE samples ("
                                "  job INTEGER NOT NULL,"
                                "  trial INTEGER NOT NULL,"
                                "  position INTEGER NOT NULL,"
                                "  name TEXT NOT NULL,"
                                "  unit TEXT NOT NULL,"
                                "  better TEXT NOT NULL,"
                                "  workload INTEGER NOT NULL,"
                                "  value REAL NOT NULL,"
                                "  counter INTEGER NOT NULL,"
                                "  PRIMARY KEY (job, trial, position),"
                                "  FOREIGN KEY (job, trial) REFERENCES trials (job, number)"
                                ") STRICT, WITHOUT ROWID;"
                                "CREATE TABLE leases ("
                                "  fence INTEGER PRIMARY KEY AUTOINCREMENT,"
                                "  job INTEGER NOT NULL REFERENCES jobs (id),"
                                "  kind INTEGER NOT NULL,"
                                "  commit_number INTEGER NOT NULL,"
                                "  purpose INTEGER NOT NULL,"
                                "  position INTEGER NOT NULL,"
                                "  attempt INTEGER NOT NULL,"
                                "  taken_ns INTEGER NOT NULL,"
                                "  UNIQUE (job, kind, commit_number, purpose, position)"
                                ") STRICT;"
                                "CREATE TABLE events ("
                                "  job INTEGER NOT NULL REFERENCES jobs (id),"
                                "  sequence INTEGER NOT NULL,"
                                "  time_ns INTEGER NOT NULL,"
                                "  type TEXT NOT NULL,"
                                "  data TEXT NOT NULL,"
                                "  PRIMARY KEY (job, sequence)"
                                ") STRICT, WITHOUT ROWID;"
                                "CREATE TABLE outbox ("
                                "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
                                "  job INTEGER NOT NULL REFERENCES jobs (id),"
                                "  recipients TEXT NOT NULL," /* one a line */
                                "  message TEXT NOT NULL,"
                                "  state TEXT NOT NULL,"
                                "  attempts INTEGER NOT NULL DEFAULT 0,"
                                "  next_ns INTEGER NOT NULL,"
                                "  last_error TEXT NOT NULL DEFAULT '',"
                                "  created_ns INTEGER NOT NULL"
                                ") STRICT;"
                                "CREATE INDEX outbox_by_time ON outbox (state, next_ns);"
                                "CREATE TABLE tokens ("
                                "  name TEXT PRIMARY KEY,"
                                "  digest TEXT NOT NULL UNIQUE,"
                                "  scopes INTEGER NOT NULL,"
                                "  created_ns INTEGER NOT NULL"
                                ") STRICT;"
                                "PRAGMA application_id = " APPLICATION_ID ";";

/* What builds read, and which commits of a job cannot change the image because of it. */
static const char version_2[] = "ALTER TABLE builds ADD COLUMN inputs TEXT NOT NULL DEFAULT '';"
                                /* NULL: nobody has looked yet */
                                "ALTER TABLE jobs ADD COLUMN pruning TEXT;"
                                "CREATE TABLE pruned ("
                                "  job INTEGER NOT NULL REFERENCES jobs (id),"
                                "  commit_number INTEGER NOT NULL,"
                                "  reason TEXT NOT NULL,"
                                "  PRIMARY KEY (job, commit_number)"
                                ") STRICT, WITHOUT ROWID;";

/* What identical builds differ by, and what each job takes that to be. */
static const char version_3[] = "CREATE TABLE calibrations ("
                                "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
                                "  setup TEXT NOT NULL," /* digest */
                                "  metric TEXT NOT NULL,"
                                "  document TEXT NOT NULL,"
                                "  created_ns INTEGER NOT NULL,"
                                "  UNIQUE (setup, metric)"
                                ") STRICT;"
                                /* NULL: nobody has looked yet; '': there is none */
                                "ALTER TABLE jobs ADD COLUMN calibration TEXT;";

/* Whether what a job looks for happened in a trial (1 or 0; NULL: it does not say), and the line
 * that shows it. */
static const char version_4[] = "ALTER TABLE trials ADD COLUMN event INTEGER;"
                                "ALTER TABLE trials ADD COLUMN evidence TEXT NOT NULL DEFAULT '';";

/* Further kernels of a commit (functions aligned, taken back from bad), which a verdict is held
 * against, and the shift at which it is: -1 where nobody asked for it. */
static const char version_5[] = "ALTER TABLE jobs ADD COLUMN second_shift INTEGER NOT NULL"
                                " DEFAULT -1;"
                                "CREATE TABLE job_kernels ("
                                "  job INTEGER NOT NULL REFERENCES jobs (id),"
                                "  commit_number INTEGER NOT NULL,"
                                "  variant TEXT NOT NULL," /* '': the commit's own */
                                "  attempt INTEGER NOT NULL,"
                                "  build INTEGER NOT NULL REFERENCES builds (id),"
                                "  fresh INTEGER NOT NULL,"
                                "  UNIQUE (job, commit_number, variant, attempt)"
                                ") STRICT;"
                                "INSERT INTO job_kernels (rowid, job, commit_number, variant,"
                                " attempt, build, fresh) SELECT rowid, job, commit_number, '',"
                                " attempt, build, fresh FROM job_builds;"
                                "DROP TABLE job_builds;"
                                "ALTER TABLE job_kernels RENAME TO job_builds;";

static const char *const scripts[] = {version_1, version_2, version_3, version_4, version_5};
enum { SCHEMA_VERSION = sizeof scripts / sizeof scripts[0] };

static int read_pragma(struct store *store, const char *sql, int64_t *ret,
                       struct culprit_error *error)
{
    _cleanup_statement_ struct statement statement = {0};
    int status = statement_prepare(store, sql, "read the store's version", &statement, error);
    if (status < 0)
        return status;
    status = statement_step(&statement, error);
    if (status < 0)
        return status;
    *ret = read_integer(&statement);
    return 0;
}

static int migrate_one(struct store *store, int64_t from, struct culprit_error *error)
{
    CULPRIT_CLEANUP(store_rollback) struct store_transaction transaction = {0};
    char pragma[64];

    int status = store_begin(store, &transaction, error);
    if (status < 0)
        return status;
    status = database_execute(store, scripts[from], "bring the store to this version", error);
    if (status < 0)
        return status;
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %lld", (long long)from + 1);
    status = database_execute(store, pragma, "set the store's version", error);
    if (status < 0)
        return status;
    return store_commit(&transaction, error);
}

int schema_migrate(struct store *store, struct culprit_error *error)
{
    int64_t version = 0, application = 0;

    int status = read_pragma(store, "PRAGMA user_version", &version, error);
    if (status == 0)
        status = read_pragma(store, "PRAGMA application_id", &application, error);
    if (status < 0)
        return status;
    if (version > SCHEMA_VERSION)
        return culprit_fail(error, CULPRIT_UNSUPPORTED,
                            "the store has schema version %lld and this program knows up to %d: "
                            "it was written by a newer culpritd",
                            (long long)version, SCHEMA_VERSION);
    if (version > 0 && application != atoll(APPLICATION_ID))
        return culprit_fail(error, CULPRIT_INVALID, "the database is not one of culprit's");

    for (; version < SCHEMA_VERSION; version++) {
        status = migrate_one(store, version, error);
        if (status < 0)
            return status;
    }
    return 0;
}
