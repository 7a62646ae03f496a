-- The tables of a run record. `PRAGMA user_version` is the version of this schema.
-- Times are seconds after the begin of their run.

-- One call of `PassManager.run`.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    pipeline TEXT NOT NULL,          -- as text that the runtime parses; of a log: as found
    settings TEXT NOT NULL,          -- JSON: verify_each, is_multithreaded, of a driver its
                                     -- command with the flags that a pass needs; or dumps
    versions TEXT NOT NULL,          -- JSON: of Python, the runtime and the IR library
    process_id INTEGER NOT NULL,
    status TEXT NOT NULL,            -- running, succeeded or failed
    error TEXT,                      -- the failure, with its Python stack
    wall_time_s REAL,                -- NULL until the run has ended
    operation_id INTEGER REFERENCES operation,
    before_id INTEGER REFERENCES ir, -- the IR before the first pass
    after_id INTEGER REFERENCES ir   -- the IR after the last pass
);

-- A pass at one place in a pipeline: `builtin.module/func.func[1]/cse[0]`. The numbers
-- count passes, and groups of nested pipelines that share a walk, from 0.
CREATE TABLE pass (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run,
    path TEXT NOT NULL,
    argument TEXT NOT NULL,
    name TEXT NOT NULL,              -- of its class
    text TEXT NOT NULL,              -- with its options, as a pipeline shows it
    UNIQUE (run_id, path)
);

-- An operation that passes ran on: `@outer/@f`, or `func.func[2]` without a symbol.
CREATE TABLE operation (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    location TEXT NOT NULL,
    UNIQUE (run_id, path)
);

-- A text of IR. That of a module holds none of the operations directly inside, if all
-- of these are isolated or symbols: they are its rows in `ir_child`.
CREATE TABLE ir (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,     -- of the text, and of the digests and names of the children
    text BLOB NOT NULL,              -- UTF-8, compressed by zlib
    num_operations INTEGER NOT NULL  -- itself and everything inside
);

CREATE TABLE ir_child (
    ir_id INTEGER NOT NULL REFERENCES ir,
    position INTEGER NOT NULL,
    child_id INTEGER NOT NULL REFERENCES ir,
    name TEXT NOT NULL,              -- as in `operation.path`: `@f` or `func.func[2]`
    PRIMARY KEY (ir_id, position)
) WITHOUT ROWID;

-- One call of a pass on an operation.
CREATE TABLE execution (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run,
    pass_id INTEGER NOT NULL REFERENCES pass,
    operation_id INTEGER NOT NULL REFERENCES operation,
    parent_id INTEGER REFERENCES execution, -- the pass that ran the pipeline of this one
    position INTEGER,                -- in the order of one thread; NULL until it has ended
    status TEXT NOT NULL,            -- running, succeeded or failed
    thread INTEGER NOT NULL,         -- from 0; below 0 for a worker
    begin_s REAL NOT NULL,
    end_s REAL,
    -- The same after as before if nothing has changed; NULL if it is not known, because
    -- the pass has not ended, or a log of IR dumps does not show it.
    before_id INTEGER REFERENCES ir,
    after_id INTEGER REFERENCES ir
);

-- What a pass has added to its statistics in one execution. Zeros are in the first
-- execution of each pass alone.
CREATE TABLE statistic (
    execution_id INTEGER NOT NULL REFERENCES execution,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (execution_id, name)
) WITHOUT ROWID;

-- A remark of a pass: what it has decided, and why. In the order of one thread.
CREATE TABLE remark (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run,
    execution_id INTEGER REFERENCES execution,
    kind TEXT NOT NULL,              -- passed, missed, failed or analysis
    category TEXT NOT NULL,          -- by default, the argument of the pass
    name TEXT NOT NULL,              -- identifies the remark in its category
    operation TEXT,                  -- the path of the closest one that has a symbol
    location TEXT NOT NULL,
    message TEXT NOT NULL,
    fields TEXT NOT NULL             -- JSON: the values in the message, others, `advice`
);

-- A diagnostic, in the order in which they were reported.
CREATE TABLE diagnostic (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run,
    execution_id INTEGER REFERENCES execution, -- NULL outside of passes
    severity TEXT NOT NULL,          -- error, warning, remark or note
    message TEXT NOT NULL,
    location TEXT NOT NULL,
    parent_id INTEGER REFERENCES diagnostic -- the diagnostic that a note belongs to
);
