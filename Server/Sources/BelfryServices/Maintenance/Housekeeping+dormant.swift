import BelfryStore
import Foundation

extension Housekeeping {
    /// Devices that are dead leave the tables of those that live (FLEET-2), some at a time. They are looked for in a read,
    /// and looked at once more in the write that moves them: what a device does meanwhile counts.
    func moveDeadDevices(now: Date) async throws -> Int {
        let (terms, last) = try await database.read { connection -> (terms: [TimeInterval], last: Int64) in
            let terms = try connection.apps.all().map { DormancyRule(of: $0.settings).term }
            return (terms, try connection.devices.highestID())
        }
        guard let shortest = terms.min() else { return 0 }
        try await removeExpiredOffers(now: now)
        let moment = now.addingTimeInterval(-shortest)
        var moved = 0
        // Audiences and figures become smaller by it, and somebody may ask why: also when the walk did not come to its end.
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

    /// Those that are dead by the terms that their apps have now: where many are dead a walk takes long, and an operator
    /// who does not want it gives a longer term meanwhile.
    private static func dead(
        among devices: [DeviceActivity], now: Date, in connection: any SQLConnection
    ) throws -> [DeviceActivity] {
        let rules = try Set(devices.map(\.app)).reduce(into: [Int64: DormancyRule]()) { rules, app in
            rules[app] = try connection.apps.find(id: app).map { DormancyRule(of: $0.settings) }
        }
        return devices.filter { rules[$0.app]?.verdict(on: $0, now: now) == .isDead }
    }

    /// Offers of contacts whose time is over wait for nobody (REG-23), and would keep their devices where they are until
    /// another one is made.
    private func removeExpiredOffers(now: Date) async throws {
        let moment = now.addingTimeInterval(-Takeover.lifetime)
        try await database.write(turn: .patientUnsynced) { try $0.takeoverOffers.remove(before: moment) }
    }
}
