import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// WIRE-9, IAM-1: a device that has synced asks whether anything is new by its stamp alone, so whatever lets it enter or
/// leave an audience changes that, also when it happens in the same millisecond.
struct AudienceStampTests {
    enum Change: String, CaseIterable, Sendable {
        case attribute, tag, tagTakenBack, properties, osOptOut, optOut, tokenRemoved, tokenMoved, tokenMovedLate
        case tokenRejected, tokenPardoned, login, logout, contactKey, merger, revocation, erasure
        case attributeType, timeZone
    }

    /// A device of Anna's, another one of hers, and a third that nobody has named.
    private struct Stage {
        let world: ServiceWorld
        var watched: ServiceDevice
        var other: ServiceDevice
        var third: ServiceDevice
        let id: Int64
    }

    private static func stage() async throws -> Stage {
        let world = try await ServiceWorld()
        for (name, type) in [("city", AttributeType.string), ("day", .string), ("born", .date)] {
            try await world.apps.defineAttribute(name, type: type, app: world.app)
        }
        var watched = try await ServiceDevice.registered(world, 1, key: "anna", token: "t1")
        try await watched.tell(
            ["city": "Paris", "day": "2026-11-22T00:30:00+02:00", "born": "2000-01-01T23:30:00Z"], key: "anna",
            tags: ["sports"]
        )
        let other = try await ServiceDevice.registered(world, 2, key: "anna", token: "t2")
        var third = try await ServiceDevice.registered(world, 3, token: "t3")
        try await third.tell([:], tags: ["vip"])
        let (app, client) = (world.app.id, watched.client)
        let id = try await world.database.write { connection in
            // There is an in-app message, so that its app has a clock.
            try connection.inAppRevisions.advance(app: app, volatile: false, entrances: .none, now: ServiceWorld.epoch)
            return try connection.devices.find(app: app, client: client)?.id ?? 0
        }
        return Stage(world: world, watched: watched, other: other, third: third, id: id)
    }

    /// What the change makes true or false of the watched device.
    private static func audience(_ change: Change) -> Condition {
        switch change {
        case .attribute: .attribute("city", .equal("Rome"))
        case .tag: .tag("news")
        case .tagTakenBack: .tag("sports")
        case .properties: .device(.appVersion, .equal("2.0"))
        case .osOptOut, .optOut, .tokenRemoved, .tokenMoved, .tokenMovedLate, .tokenRejected, .tokenPardoned:
            .deviceFact(.pushOptIn, .equal(true))
        case .login, .contactKey: .contactKeys(["bob"])
        case .logout, .revocation: .known(true)
        case .merger: .tag("vip")
        case .erasure: .attribute("city", .exists(true))
        case .attributeType: .attribute("day", .less("2026-11-22T00:00:00Z"))
        case .timeZone: .attribute("born", .equal("2000-01-01"))
        }
    }

    private static func perform(_ change: Change, _ stage: inout Stage) async throws {
        switch change {
        case .attribute: try await stage.other.tell(["city": "Rome"], key: "anna")
        case .tag: try await stage.other.tell([:], key: "anna", tags: ["news"])
        case .tagTakenBack: try await stage.watched.tell([:], key: "anna", tags: [])
        case .properties:
            let system = SystemProperties(appVersion: "2.0")
            let caller = stage.watched.caller()
            _ = try await stage.world.clients.putProperties(system, osPushEnabled: nil, caller: caller)
        case .osOptOut, .optOut:
            try await stage.watched.register {
                $0.pushEnabled = change != .optOut
                $0.osPushEnabled = change != .osOptOut
            }
            try await stage.world.process()
        case .login: try await stage.watched.identify("bob")
        case .logout: try await stage.watched.linkAnonymously()
        case .contactKey: try await stage.watched.tell([:], key: "bob")
        case .merger: try await stage.third.identify("anna")
        case .revocation:
            try await stage.world.links.revoke(stage.watched.client.rawValue, app: stage.world.app)
        case .erasure: _ = try await stage.world.contacts.erase("anna", app: stage.world.app)
        case .tokenRemoved, .tokenMoved, .tokenMovedLate, .tokenRejected, .tokenPardoned:
            try await changeToken(change, &stage)
        case .attributeType:
            try await stage.world.apps.defineAttribute("day", type: .date, app: stage.world.app)
        case .timeZone:
            var settings = AppSettingsChange()
            settings.timeZone = .set("Pacific/Auckland")
            _ = try await stage.world.apps.changeSettings(settings, of: stage.world.app)
        }
    }

    private static func changeToken(_ change: Change, _ stage: inout Stage) async throws {
        switch change {
        case .tokenRemoved: try await stage.watched.deleteToken()
        case .tokenMoved: try await stage.third.putToken("t1")
        case .tokenMovedLate:
            try await stage.third.register { $0.pushToken = "t1" }
            // What the watched device says of itself is newer than when the third one's word was received.
            try await stage.world.database.write { [id = stage.id] connection in
                guard var device = try connection.devices.find(id: id) else { return }
                device.updatedAt = device.updatedAt.addingTimeInterval(60)
                try connection.devices.save(device)
            }
            try await stage.world.process()
        case .tokenRejected: try await rejectToken(stage)
        // What a push service has said was said to the credentials that are gone.
        default: try await stage.world.apps.removeCredentials(of: .apns, app: stage.world.app)
        }
    }

    private static func rejectToken(_ stage: Stage) async throws {
        let optOut = TokenOptOut(
            device: stage.id, token: "t1", optOut: OptOut(reason: .tokenMalformed, at: stage.world.clock.now)
        )
        try await stage.world.database.write { try $0.optOuts.record([optOut]) }
    }

    private struct Look: Sendable {
        let stamp: InAppSyncVersion?
        let holds: Bool
    }

    private static func look(_ change: Change, _ stage: Stage) async throws -> Look {
        let (id, app, now, audience) = (stage.id, stage.world.app.id, stage.world.clock.now, audience(change))
        return try await stage.world.database.ask(.looking(device: id, app: app)) { asked in
            let connection = asked.connection
            let name = try connection.apps.find(id: app)?.settings.timeZoneName ?? "UTC"
            let sql = AudienceSQL(
                try connection.attributes.columns(app: app), dialect: connection.dialect,
                zone: TimeZone(identifier: name) ?? .gmt, now: now
            )
            return Look(
                stamp: try connection.inAppSyncVersions.find(device: id),
                holds: try asked.holds(id, app: app, audience: sql.compile(audience), share: 1)
            )
        }
    }

    @Test(
        "WIRE-9, IAM-1: every change of a device's audiences changes its version, while the clock stands still",
        arguments: Change.allCases)
    func stamps(_ change: Change) async throws {
        var stage = try await Self.stage()
        if change == .tokenPardoned { try await Self.rejectToken(stage) }
        let before = try await Self.look(change, stage)
        try await Self.perform(change, &stage)
        let after = try await Self.look(change, stage)
        // The change is one: a test that changes nothing would prove nothing.
        #expect(before.holds != after.holds)
        #expect(before.stamp != nil && before.stamp != after.stamp)
    }
}
