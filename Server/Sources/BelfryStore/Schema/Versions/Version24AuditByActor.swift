/// Indexes of the audit log by user or key, with and without reads (ADM-7).
enum Version24AuditByActor {
    static let migration = Migration(version: 24) { _ in
        [
            "CREATE INDEX audit_log_by_actor ON audit_log (actor, id)",
            """
            CREATE INDEX audit_log_changes_by_actor ON audit_log (actor, id)
            WHERE action NOT IN ('read', 'repeat')
            """,
        ]
    }
}
