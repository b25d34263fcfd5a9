/// Users of the console, their roles in apps, and their sessions (CON-3).
enum Version19Users {
    static let migration = Migration(version: 19) { dialect in
        [
            """
            CREATE TABLE users (
                id \(dialect.identityColumn), name TEXT NOT NULL, display_name TEXT NOT NULL, password TEXT,
                issuer TEXT, subject TEXT, is_operator BIGINT NOT NULL, is_disabled BIGINT NOT NULL DEFAULT 0,
                created_at BIGINT NOT NULL)
            """,
            "CREATE UNIQUE INDEX users_by_name ON users (name)",
            "CREATE UNIQUE INDEX users_by_subject ON users (issuer, subject) WHERE subject IS NOT NULL",
            """
            CREATE TABLE user_roles (
                user_id BIGINT NOT NULL, app_id BIGINT NOT NULL, role TEXT NOT NULL,
                PRIMARY KEY (user_id, app_id)) \(dialect.clustered)
            """,
            "CREATE INDEX user_roles_by_app ON user_roles (app_id, user_id)",
            // Only a hash of the cookie is stored. A session has a number for lists, which must not show the hash.
            """
            CREATE TABLE user_sessions (
                id \(dialect.identityColumn), token_hash \(dialect.blobType) NOT NULL, user_id BIGINT NOT NULL,
                created_at BIGINT NOT NULL, seen_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, agent TEXT NOT NULL)
            """,
            "CREATE UNIQUE INDEX user_sessions_by_token ON user_sessions (token_hash)",
            "CREATE INDEX user_sessions_by_user ON user_sessions (user_id, id)",
            "CREATE INDEX user_sessions_by_expiry ON user_sessions (expires_at)",
        ]
    }
}
