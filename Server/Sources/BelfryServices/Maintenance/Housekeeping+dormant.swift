import BelfryStore
import Foundation

extension Housekeeping {
    /// Moves dead devices out of the tables of live devices (FLEET-2), some at a time. A read finds them, and the write
    /// that moves them checks them again, because a device may have called meanwhile.
    func moveDeadDevices(now: Date) async throws -> Int {
        let (terms, last) = try await database.read { connection -> (terms: [TimeInterval], last: Int64) in
            let terms = try connection.apps.all().map { DormancyRule(of: $0.settings).term }
            return (terms, try connection.devices.highestID())
        }
        guard let shortest = terms.min() else { return 0 }
        try await removeExpiredOffers(now: now)
        let moment = now.addingTimeInterval(-shortest)
        var moved = 0
        // Audiences and figures become smaller, and an operator may ask why. So the move is logged even if the walk was
        // interrupted.
        defer {
            if moved > 0 { logger.info("dead devices became dormant", metadata: ["count": "\(moved)"]) }
        }
        return try await walk(.dormantDevices, through: last, by: Self.devices) { numbers in
            let dead = try await database.read { connection -> [DeviceActivity] in
                let inactive = try connection.dormantDevices.inactive(numbers, since: moment)
                return try Self.dead(among: inactive, now: now, in: connection)
            }
            let taken = try await inWrites(of: .dormantDevices, dead.map(\.device)) { connection, ids in
                let found = try connection.dormantDevices.activities(of: ids)
                let still = try Self.dead(among: found, now: now, in: connection)
                for (app, devices) in Dictionary(grouping: still, by: \.app).sorted(by: { $0.key < $1.key }) {
                    try connection.dormantDevices.take(devices.map(\.device), app: app)
                }
                return still.count
            }
            moved += taken
            return taken
        }
    }

    /// The devices that are dead by the present terms of their apps. A walk takes long where many are dead, and an
    /// operator who does not want it may set a longer term meanwhile.
    private static func dead(
        among devices: [DeviceActivity], now: Date, in connection: any SQLConnection
    ) throws -> [DeviceActivity] {
        let rules = try Set(devices.map(\.app)).reduce(into: [Int64: DormancyRule]()) { rules, app in
            rules[app] = try connection.apps.find(id: app).map { DormancyRule(of: $0.settings) }
        }
        return devices.filter { rules[$0.app]?.decision(on: $0, now: now) == .isDead }
    }

    /// Removes expired offers of contacts (REG-23). Otherwise they would keep their devices among the live ones until
    /// another offer is made.
    private func removeExpiredOffers(now: Date) async throws {
        let moment = now.addingTimeInterval(-Takeover.lifetime)
        try await database.write(turn: .patientUnsynced) { try $0.takeoverOffers.remove(before: moment) }
    }
}
