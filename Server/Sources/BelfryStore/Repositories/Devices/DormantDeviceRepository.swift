import BelfryModel
import Foundation

/// Dead devices, kept apart from those in use (FLEET-2). Their complete rows are in the dormant table, under the same
/// numbers. Other data stays in place, since it is found only by number. Data by which a device could be found
/// otherwise is removed: its audience row, and its silent push requests.
package struct DormantDeviceRepository {
    let connection: any SQLConnection

    package func contains(_ id: Int64) throws -> Bool {
        try connection.first("SELECT 1 FROM dormant_devices WHERE id = ?", [.integer(id)]) { $0.flag(0) } ?? false
    }

    /// Moves devices of an app to the dormant table.
    package func take(_ ids: [Int64], app: Int64) throws {
        let keys: [[SQLValue]] = ids.map { [.integer($0)] }
        try connection.executeEach("INSERT INTO dormant_devices SELECT * FROM devices WHERE id = ?", keys)
        try connection.executeEach("DELETE FROM devices WHERE id = ?", keys)
        try connection.executeEach("DELETE FROM silent_pushes WHERE device_id = ?", keys)
        try connection.executeEach("DELETE FROM \(AudienceColumns.table(of: app)) WHERE device_id = ?", keys)
    }

    /// Moves a device back to the table of devices in use: complete, except a push token that another device has now
    /// (REG-27).
    ///
    /// - Returns: nil for a device that is not dormant.
    @discardableResult
    package func wake(_ id: Int64) throws -> DeviceRow? {
        // Its audience row gets the contact's values.
        try connection.hold { try [connection.devices.link(id: id, in: .dormant)?.contact] }
        let moved = try connection.execute(
            "INSERT INTO devices SELECT * FROM dormant_devices WHERE id = ?", [.integer(id)]
        )
        guard moved > 0 else { return nil }
        try connection.execute("DELETE FROM dormant_devices WHERE id = ?", [.integer(id)])
        guard var device = try connection.devices.find(id: id) else {
            throw StoreError.corrupted(table: "dormant_devices", key: String(id))
        }
        guard let movedAt = try whenTokenMoved(from: device) else {
            try connection.audiences.follow(device)
            return device
        }
        device.pushToken = nil
        device.tokenAt = movedAt
        device.updatedAt = max(movedAt, device.updatedAt)
        try connection.devices.save(device)
        return try connection.devices.find(id: id) ?? device
    }

    /// Since when another device has this device's token; nil if none has it.
    private func whenTokenMoved(from device: DeviceRow) throws -> Date? {
        guard let token = device.pushToken else { return nil }
        let holders = try connection.devices.others(holding: token, app: device.app, than: device.id)
        return holders.map { $0.tokenAt ?? $0.updatedAt }.min()
    }
}

/// Finds devices in use that may be dead, as far as the store knows.
extension DormantDeviceRepository {
    /// The given devices that get no push and have not changed since a moment.
    package func inactive(_ devices: ClosedRange<Int64>, since moment: Date) throws -> [DeviceActivity] {
        let found = try connection.query(
            """
            SELECT \(DeviceActivity.columns) FROM devices
            WHERE id BETWEEN ? AND ? AND updated_at < ? AND (\(DeviceRow.isOptedInSQL)) = 0 ORDER BY id
            """,
            [.integer(devices.lowerBound), .integer(devices.upperBound), .date(moment)], DeviceActivity.init
        )
        return try withAttempts(found)
    }

    /// The key is a device.
    package static let activityQuery = KeyedQuery { asked in
        "SELECT \(DeviceActivity.columns) FROM devices WHERE id = \(asked(.integer))"
    }

    /// The activity of those of some devices that are in use.
    package func activities(of devices: [Int64]) throws -> [DeviceActivity] {
        let found = try connection.queryEach(Self.activityQuery, devices.map { [.integer($0)] }) { DeviceActivity($0) }
        return try withAttempts(found.flatMap(\.self))
    }

    private func withAttempts(_ activities: [DeviceActivity]) throws -> [DeviceActivity] {
        guard !activities.isEmpty else { return [] }
        let attempted = try attempted(among: activities.map(\.device))
        return activities.map { activity in
            guard attempted.contains(activity.device) else { return activity }
            var activity = activity
            activity.waiting.insert(.attempt)
            return activity
        }
    }

    /// The given devices of which a registration or a silent push was begun alone, or is in quarantine.
    private func attempted(among devices: [Int64]) throws -> Set<Int64> {
        let integers = connection.dialect.integers
        let pushes = try connection.query(
            "SELECT subject FROM work_attempts WHERE kind = 'silentPush' AND subject IN (\(integers))",
            [.integers(devices)]
        ) { $0.integer(0) }
        let registrations = try connection.query(
            "SELECT subject FROM work_attempts WHERE kind = 'registration'", []
        ) { $0.integer(0) }
        guard !registrations.isEmpty else { return Set(pushes) }
        let registered = try connection.query(
            "SELECT device_id FROM registrations WHERE device_id IN (\(integers)) AND id IN (\(integers))",
            [.integers(devices), .integers(registrations)]
        ) { $0.integer(0) }
        return Set(pushes + registered)
    }
}

extension SQLConnection {
    package var dormantDevices: DormantDeviceRepository { DormantDeviceRepository(connection: self) }
}
