import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation

/// Things that happen to the devices and contacts of two apps, one after the other, by chance.
struct AudienceLife {
    private static let people = 6
    private static let names = ["city", "age", "born", "é"]
    private static let texts = ["Paris", "31", "1e300", "é", "e\u{301}", "2026-11-21T12:00:00Z", "007", ""]

    let connection: any SQLConnection
    let apps: [Int64]
    private var generator: SeededGenerator

    init(connection: any SQLConnection, apps: [Int64], seed: UInt64) {
        self.connection = connection
        self.apps = apps
        generator = SeededGenerator(seed: seed)
    }

    mutating func step() throws {
        let app = pick(apps)
        switch roll(17) {
        case 0: try define(app)
        case 1...4: try saveDevice(app)
        case 5...8: try saveContact(app)
        case 9: try optOut(app)
        case 10: try liftOptOuts(app)
        case 11: try merge(app)
        case 12: try deleteDevice(app)
        case 13, 14: try openApp(app)
        case 15: try openAppAsBefore(app)
        default: try deleteContact(app)
        }
    }

    private mutating func define(_ app: Int64) throws {
        try connection.attributes.define(
            AttributeKey(pick(Self.names)), type: pick(AttributeType.allCases), app: app, now: storeEpoch
        )
    }

    private mutating func saveDevice(_ app: Int64) throws {
        var device = try connection.devices.findOrInsert(app: app, client: client(1 + roll(8)), now: storeEpoch)
        // Now and then nothing but what audiences do not know.
        device.revision += 1
        if roll(4) > 0 {
            device.system = SystemProperties(
                timeZone: pick(["Europe/Paris", nil]), locale: pick(["é", "e\u{301}", nil]),
                platform: pick(["ios", "android"]), osVersion: pick(Self.texts)
            )
        }
        if roll(2) == 0 { device.lastOpenedAt = pick([nil, opening()]) }
        if roll(2) == 0 {
            device.pushToken = try pick([nil, PushToken("t\(roll(3))", provider: .apns, environment: .production)])
        }
        if roll(3) == 0 { device.pushEnabled = pick([true, false, nil]) }
        if roll(3) == 0 { device.osPushEnabled = pick([true, false, nil]) }
        if roll(3) == 0 {
            device.optOut = pick([nil, OptOut(reason: pick(OptOutReason.allCases), at: storeEpoch)])
        }
        if roll(2) == 0 { device.contact = try pick([nil, contact(app), contact(app)]) }
        try connection.devices.save(device)
    }

    private mutating func contact(_ app: Int64) throws -> Int64 {
        let number = roll(Self.people)
        let contact = try connection.contacts.findOrInsert(
            app: app, key: "c\(number)", known: number.isMultiple(of: 2), now: storeEpoch
        )
        return try connection.contacts.surviving(contact) ?? contact
    }

    private mutating func saveContact(_ app: Int64) throws {
        guard var row = try connection.contacts.find(id: contact(app)) else { return }
        let schema = try connection.attributes.schema(app: app)
        for name in schema.keys.sorted() where roll(2) == 0 {
            row.attributes[name] = pick([
                nil, .string(pick(Self.texts)), .number(Double(roll(50)) / 4), .boolean(true), .date(seconds(0.001)),
            ])
        }
        if roll(4) == 0 { row.known.toggle() }
        try connection.contacts.save(row, now: storeEpoch)
    }

    private mutating func optOut(_ app: Int64) throws {
        guard let device = try connection.devices.find(app: app, client: client(1 + roll(8))),
            let token = device.pushToken
        else { return }
        let optOut = OptOut(reason: pick(OptOutReason.allCases), at: storeEpoch)
        try connection.optOuts.record([TokenOptOut(device: device.id, token: token.value, optOut: optOut)])
    }

    private mutating func liftOptOuts(_ app: Int64) throws {
        let lifting = OptOutLifting(pick(OptOutReason.allCases), of: .apns)
        let devices = try connection.optOuts.devices(for: lifting, app: app)
        try connection.optOuts.lift(lifting, of: devices, now: storeEpoch)
    }

    private mutating func merge(_ app: Int64) throws {
        let (old, new) = (try contact(app), try contact(app))
        // Only anonymous contacts go into others, and nothing has gone into those.
        guard old != new, try connection.contactParts.merged(into: old, limit: 1).isEmpty else { return }
        // The last device leaves a contact with its history.
        for var device in try connection.devices.page(ofContact: old, limit: 100).devices {
            device.contact = new
            try connection.devices.save(device)
        }
        try connection.contacts.redirect(old, to: new, now: storeEpoch)
    }

    private mutating func openApp(_ app: Int64) throws {
        guard let device = try connection.devices.find(app: app, client: client(1 + roll(8))) else { return }
        try connection.devices.opened(device.id, app: app, at: opening())
    }

    /// The program of version 25 knows nothing but the wide rows.
    private mutating func openAppAsBefore(_ app: Int64) throws {
        guard let device = try connection.devices.find(app: app, client: client(1 + roll(8))) else { return }
        try connection.openAsBefore(device.id, app: app, at: opening())
    }

    /// Some are within a day of each other, some are not.
    private mutating func opening() -> Date {
        seconds(TimeInterval(roll(60)) * 3_600)
    }

    private mutating func deleteDevice(_ app: Int64) throws {
        guard let device = try connection.devices.find(app: app, client: client(1 + roll(8))) else { return }
        try connection.devices.delete(device.id)
    }

    private mutating func deleteContact(_ app: Int64) throws {
        try connection.contacts.delete(contact(app), app: app)
    }

    private mutating func roll(_ sides: Int) -> Int {
        Int.random(in: 0..<sides, using: &generator)
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[roll(values.count)]
    }
}
