import BelfryModel

/// Whether a device's in-app messages can have changed since it asked last, with the device's link: one look by primary
/// keys, which is all that most syncs cost (PERF-7).
package struct InAppStamp: Hashable, Sendable {
    package let link: DeviceLink
    /// When the device's row was last written, in milliseconds since 1970.
    package let device: Int64
    /// The same of its contact; 0 when it has none.
    package let contact: Int64
    /// How often the app's in-app campaigns have changed.
    package let clock: Int64
    /// Whether an audience may change without any of these: it asks for events or openings, or counts from now.
    package let isVolatile: Bool
}

extension DeviceRepository {
    package static let inAppStampSQL: SQLText = """
        SELECT d.app_id, d.contact_id, d.link_generation, d.confirmed_generation, d.epoch, d.revision, d.updated_at,
            coalesce(c.updated_at, 0), coalesce(k.version, 0), coalesce(k.volatile, 0)
        FROM devices d LEFT JOIN contacts c ON c.id = d.contact_id LEFT JOIN in_app_clocks k ON k.app_id = d.app_id
        WHERE d.id = ?
        """

    /// Nil when the device is gone.
    package func inAppStamp(id: Int64) throws -> InAppStamp? {
        try connection.first(Self.inAppStampSQL, [.integer(id)]) { row in
            InAppStamp(
                link: DeviceLink(
                    id: id, app: row.integer(0), contact: row.integerIfAny(1), linkGeneration: row.integer(2),
                    confirmedGeneration: row.integer(3), epoch: row.integer(4), revision: row.integer(5)
                ),
                device: row.integer(6), contact: row.integer(7), clock: row.integer(8), isVolatile: row.flag(9)
            )
        }
    }
}
