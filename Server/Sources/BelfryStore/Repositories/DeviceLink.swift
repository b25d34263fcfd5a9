/// What a call of a device needs to know before it writes: whom the device is linked to, and which tokens still count.
/// The whole row has seven times as many columns, and most calls need none of them (PERF-3).
package struct DeviceLink: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let contact: Int64?
    package let linkGeneration: Int64
    package let confirmedGeneration: Int64
    /// Which installation of the row it is (SEC-10).
    package let epoch: Int64
    /// The highest revision that was applied.
    package let revision: Int64
}

extension DeviceRepository {
    package func link(id: Int64) throws -> DeviceLink? {
        try connection.first(
            "SELECT app_id, contact_id, link_generation, confirmed_generation, epoch, revision FROM devices WHERE id = ?",
            [.integer(id)]
        ) {
            DeviceLink(
                id: id, app: $0.integer(0), contact: $0.integerIfAny(1), linkGeneration: $0.integer(2),
                confirmedGeneration: $0.integer(3), epoch: $0.integer(4), revision: $0.integer(5)
            )
        }
    }
}
