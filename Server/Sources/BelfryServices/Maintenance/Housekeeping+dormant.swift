import BelfryStore
import Foundation

extension Housekeeping {
    /// Devices that are dead leave the tables of those that live (FLEET-2), some at a time. They are looked for in a read,
    /// and looked at once more in the write that moves them: what a device does meanwhile counts.
    func moveDeadDevices(now: Date) async throws -> Int {
        let (rules, last) = try await database.read { connection -> (rules: [Int64: DormancyRule], last: Int64) in
            let rules = try connection.apps.all().reduce(into: [Int64: DormancyRule]()) { rules, app in
                rules[app.id] = DormancyRule(of: app.settings)
            }
            return (rules, try connection.devices.highestID())
        }
        guard let shortest = rules.values.map(\.term).min() else { return 0 }
        try await removeExpiredOffers(now: now)
        let moment = now.addingTimeInterval(-shortest)
        let moved = try await walk(.dormantDevices, through: last, by: Self.devices) { numbers in
            let inactive = try await database.read { try $0.dormantDevices.inactive(numbers, since: moment) }
            let dead = inactive.filter { $0.isDead(by: rules, now: now) }.map(\.device)
            guard !dead.isEmpty else { return 0 }
            let noteProgress = progress(.dormantDevices)
            return try await database.write(turn: .patient) { connection in
                let still = try connection.dormantDevices.activities(of: dead).filter { $0.isDead(by: rules, now: now) }
                for (app, devices) in Dictionary(grouping: still, by: \.app).sorted(by: { $0.key < $1.key }) {
                    try connection.dormantDevices.take(devices.map(\.device), app: app)
                }
                if !still.isEmpty { try noteProgress(connection) }
                return still.count
            }
        }
        // Audiences and figures become smaller by it, and somebody may ask why.
        if moved > 0 { logger.info("dead devices became dormant", metadata: ["count": "\(moved)"]) }
        return moved
    }

    /// Offers of contacts whose time is over wait for nobody (REG-23), and would keep their devices where they are until
    /// another one is made.
    private func removeExpiredOffers(now: Date) async throws {
        let moment = now.addingTimeInterval(-Takeover.lifetime)
        try await database.write(turn: .patientUnsynced) { try $0.takeoverOffers.remove(before: moment) }
    }
}

extension DeviceActivity {
    /// An app that has come since has no rule yet.
    fileprivate func isDead(by rules: [Int64: DormancyRule], now: Date) -> Bool {
        rules[app]?.verdict(on: self, now: now) == .isDead
    }
}
