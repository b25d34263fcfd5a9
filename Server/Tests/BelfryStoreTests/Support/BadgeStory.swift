import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation

/// Events around the badge of device 1: campaigns, calls of the app, and lost responses and pushes. Beside
/// it stands what the badge must be: each campaign and each call counts once, at its first arrival.
struct BadgeStory {
    static let maximum = 12

    private(set) var device = Badge.none
    private(set) var expected = Badge.none
    /// A call whose response has not come.
    private var open: (count: Int, revision: Int64)?
    private var dice: SeededGenerator

    init(seed: UInt64) {
        dice = SeededGenerator(seed: seed)
    }

    mutating func goOn(with campaign: CampaignID, _ connection: any SQLConnection) throws {
        if Bool.random(using: &dice) {
            try launch(campaign, connection)
        } else if let open {
            try call(open, connection)
        } else {
            let call = (count: Int.random(in: 0...15, using: &dice), revision: device.revision)
            expected = Badge(count: min(call.count, Self.maximum), revision: expected.revision + 1)
            try self.call(call, connection)
        }
    }

    /// The badge in a push or a response.
    mutating func hear(_ badge: Badge) {
        if badge.revision > device.revision { device = badge }
    }

    /// Its batch may be sent several times.
    private mutating func launch(_ campaign: CampaignID, _ connection: any SQLConnection) throws {
        let operation = BadgeChange.Operation.allCases.randomElement(using: &dice) ?? .clear
        let value = operation == .clear ? nil : Int.random(in: 1...5, using: &dice)
        let change = BadgeChange(op: operation, value: value)
        expected = Badge(
            count: change.apply(to: expected.count, maximum: Self.maximum), revision: expected.revision + 1
        )
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            let sent = try connection.badges.apply(change, devices: [1], campaign: campaign, maximum: Self.maximum)
            if Bool.random(using: &dice) { hear(sent[1] ?? .none) }
        }
    }

    private mutating func call(_ call: (count: Int, revision: Int64), _ connection: any SQLConnection) throws {
        let response = try connection.badges.set(
            count: call.count, baseRevision: call.revision, device: 1, maximum: Self.maximum
        )
        let isLost = Bool.random(using: &dice)
        open = isLost ? call : nil
        if !isLost { hear(response) }
    }
}
