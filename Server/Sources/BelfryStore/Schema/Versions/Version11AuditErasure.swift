/// The audit log identifies a revoked device by its number, as it does an erased contact: an installation's id must not
/// outlive its person there (ADM-4). A device that no longer exists has no name there.
enum Version11AuditErasure {
    static let migration = Migration(version: 11) { _ in
        [
            """
            UPDATE audit_log SET target = (
                SELECT CAST(min(d.id) AS TEXT) FROM devices d JOIN apps a ON a.id = d.app_id
                WHERE a.code = audit_log.app AND lower(d.client_id) = lower(audit_log.target))
            WHERE action = 'device.revoke' AND length(target) = 36
            """
        ]
    }
}
