import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation

/// A few devices and an operator who do by the dice what they can, with more than a year of silence now and then: where dead
/// devices are moved, or where they stay (FLEET-2).
struct DormancyLife {
    /// What somebody was answered.
    enum Answer: Hashable, Sendable {
        case state(String?)
        case error(String)
        case words([String])
        case number(Int)
        case devices([DeviceRow])
        case sync(InAppSync)
        case bytes([UInt8])
    }

    private static let keys = ["anna", "bert", "cleo"]
    /// Of the devices, the last one does nothing.
    private static let devices = 5
    private static let stepsAtOnce = 20
    /// What is sealed and drawn anew each time.
    private static let unlike: Set<String> = ["admin_keys", "credentials"]

    let world: ServiceWorld
    private(set) var answers: [Answer] = []
    /// How many devices were dormant each time that the upkeep had looked.
    private(set) var dormant: [Int] = []
    private var phones: [InAppPhone] = []
    private var dice: SeededGenerator
    /// Whether devices have tokens; or else in-app messages. What is owed to a device with both is not kept with a dead one.
    private let hasTokens: Bool
    private var steps = 0
    private var installations = 0

    init(seed: UInt64, movesDead: Bool) async throws {
        dice = SeededGenerator(seed: seed)
        hasTokens = !seed.isMultiple(of: 2)
        world = try await ServiceWorld()
        if !movesDead { try await world.holdDormancy() }
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        for _ in 0..<Self.devices { phones.append(try await makePhone()) }
    }

    private mutating func makePhone() async throws -> InAppPhone {
        installations += 1
        return InAppPhone(try await ServiceDevice.started(world, installations))
    }

    /// Some steps, and then more than a year in which nothing happens.
    mutating func pass() async throws {
        for _ in 0..<Self.stepsAtOnce { try await step() }
        await world.pass(days: 401)
        dormant.append(try await world.rows("dormant_devices"))
    }

    private mutating func step() async throws {
        steps += 1
        world.clock.advance(by: Double(Int.random(in: 1...600, using: &dice)))
        let isOperator = Int.random(in: 0..<4, using: &dice) == 0
        let answer: Answer
        do {
            answer = try await isOperator ? operate() : call()
        } catch let error as ServiceError {
            answer = .error("\(error)")
        }
        answers.append(answer)
    }

    /// Something that a device does.
    private mutating func call() async throws -> Answer {
        let number = Int.random(in: 0..<Self.devices - 1, using: &dice)
        let action = Int.random(in: 0..<11, using: &dice)
        // Whoever links, or says what device it is, needs its state alone.
        if !(5...7).contains(action) { try await renew(number) }
        let now = world.clock.now
        switch action {
        case 0, 1: try await phones[number].device.track(.test("e\(steps)", .sessionStart, at: now))
        case 2: try await phones[number].device.track(.test("e\(steps)", EventName("buy"), kind: .custom, at: now))
        case 3, 4: try await tell(number)
        case 5: try await phones[number].device.identify(Self.keys.randomElement(using: &dice) ?? "")
        case 6: try await phones[number].device.linkAnonymously()
        case 7: try await putLocale(number)
        case 8: return try await hasTokens ? changeToken(number) : .sync(phones[number].sync())
        case 9: phones[number].device.state = try await centers(phones[number].device)
        default: phones[number].device.state = try await checkLink(phones[number].device)
        }
        return .state(phones[number].device.state)
    }

    /// The app renews its contact token, which may be old, and begins anew when it is told to.
    private mutating func renew(_ number: Int) async throws {
        do {
            try await phones[number].device.refresh()
        } catch ServiceError.registerAnew {
            answers.append(.error("registerAnew"))
            try await phones[number].device.linkAnonymously()
        } catch ServiceError.gone(let code, _) {
            answers.append(.error(code))
            phones[number] = try await makePhone()
        }
    }

    private mutating func tell(_ number: Int) async throws {
        let (city, shoe) = (["Paris", "Rome"].randomElement(using: &dice) ?? "", Int.random(in: 30...31, using: &dice))
        let key = Bool.random(using: &dice) ? Self.keys.randomElement(using: &dice) : nil
        let tags = Bool.random(using: &dice) ? ["sports"] : nil
        try await phones[number].device.tell(
            ["city": .string(city), "shoe": .string("\(shoe)")], key: key, tags: tags
        )
    }

    private mutating func putLocale(_ number: Int) async throws {
        let system = SystemProperties(locale: ["fr", "de"].randomElement(using: &dice))
        let caller = phones[number].device.caller()
        phones[number].device.state = try await world.clients
            .putProperties(system, osPushEnabled: nil, caller: caller).clientState
    }

    private func centers(_ device: ServiceDevice) async throws -> String {
        try await world.inboxService.centers(for: device.authenticated()).clientState
    }

    private func checkLink(_ device: ServiceDevice) async throws -> String {
        try await world.clients.checkLink(of: device.authenticated()).clientState
    }

    /// Each device has a token of its own: whose token moves to another device is offered that one's contact (REG-23).
    private mutating func changeToken(_ number: Int) async throws -> Answer {
        let device = phones[number].device
        if Bool.random(using: &dice) {
            try await device.putToken("token\(device.client.rawValue.suffix(4))")
        } else {
            try await device.deleteToken()
        }
        return .state(device.state)
    }

    /// Something that an operator does, or looks at.
    private mutating func operate() async throws -> Answer {
        let key = Self.keys.randomElement(using: &dice) ?? ""
        let other = Self.keys.randomElement(using: &dice) ?? ""
        let device = phones[Int.random(in: 0..<Self.devices, using: &dice)].device
        let (app, contacts, apps) = (world.app, world.contacts, world.apps)
        switch Int.random(in: 0..<12, using: &dice) {
        case 0:
            try await apps.defineAttribute("shoe", type: .string, app: app)
            try await world.reviewAttributes()
        case 1:
            _ = try await apps.removeAttribute("shoe", app: app)
            try await world.reviewAttributes()
        case 2: return try await .words([contacts.rename(key, to: other, field: "to", app: app).key])
        case 3: return .number(try await contacts.merge(key, into: other, field: "into", app: app).devices)
        case 4: return .number(try await contacts.erase(key, app: app).removed.events)
        case 5: return .number(Int(try await world.links.revoke(device.client.rawValue, app: app)))
        case 6: return .number(Int(try await contacts.removeOrphan(key, app: app)))
        case 7: return try await .words(world.contactKeys() + world.contactKeys(orphaned: true))
        case 8: return .devices([try await world.profile(device).device])
        case 9: return .bytes(try await export(key))
        case 10 where !hasTokens: return .number(Int(try await world.offer().number))
        default: return .devices(try await list())
        }
        return .number(steps)
    }

    private func list() async throws -> [DeviceRow] {
        try await world.directory.devices(matching: DeviceListFilter(), app: world.app, before: nil, limit: 99)
            .devices.map(\.device)
    }

    private func export(_ key: String) async throws -> [UInt8] {
        var document = ContactExportDocument(
            try await world.contacts.export(key, app: world.app), app: world.app.code, at: world.clock.now
        )
        var bytes: [UInt8] = []
        try await document.write { bytes += $0 }
        return bytes
    }

    /// All that the store holds, by table, once each device has come back. Of openings an audience may be a day behind.
    func contents() async throws -> [String: [String]] {
        let engine = Engine.ofThisRun
        // What tells the two worlds apart.
        try await world.save(world.app.settings)
        return try await world.database.write { connection in
            for number in try connection.query("SELECT id FROM dormant_devices ORDER BY id", [], { $0.integer(0) }) {
                try connection.dormantDevices.wake(number)
            }
            return try connection.tableNames(engine).reduce(into: [:]) { contents, table in
                guard !Self.unlike.contains(table) else { return }
                let left: Set<String> = table.hasPrefix("audience_") ? ["last_opened_at"] : []
                contents[table] = try connection.contents(of: table, except: left, engine)
            }
        }
    }
}
