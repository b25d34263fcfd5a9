import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("Logs of the workers")
struct WorkerLogTests {
    private enum Stored: String, Decodable {
        case readable
    }

    private static let token = String(repeating: "5ec2e7", count: 10)
    private static let key = "anna@example.com"
    private static let city = "Springfield"
    private static let street = "12 Elm Street"

    /// Fails like a stored value that cannot be read: the error's own text repeats the value.
    private static func readBadValue() throws {
        _ = try JSONDecoder().decode([Stored].self, from: Data(#"["\#(street)"]"#.utf8))
    }

    /// A device with a push token, whose contact has a key and an attribute.
    private static func device(_ world: ServiceWorld) async throws -> ServiceDevice {
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        try await device.register {
            $0.contactKey = key
            $0.pushToken = token
            $0.attributes = ["city": .string(city)]
        }
        try await world.process()
        return device
    }

    private func expectNothingSecret(_ world: ServiceWorld, _ device: ServiceDevice) throws {
        let authorizations = world.transport.requests.compactMap(\.authorization)
        let tickets = authorizations.compactMap { $0.split(separator: " ").last.map { String($0) } }
        let secrets = [
            Self.token, Self.key, Self.city, Self.street, world.apiKey, TestKeys.rootKey,
            try #require(device.contactToken), try #require(device.refreshToken), try #require(device.state),
        ]
        let log = world.log.entries.map { "\($0.message) \($0.metadata) \($0.error.map { "\($0)" } ?? "")" }.joined()
        for secret in secrets + tickets { #expect(!log.contains(secret), "\(log)") }
    }

    @Test("SEC-3: a worker that fails logs what failed and where, but no secret, token or personal value")
    func failures() async throws {
        let error = try #require(throws: DecodingError.self) { try Self.readBadValue() }
        #expect("\(error)".contains(Self.street), "an error without the value proves nothing")
        let world = try await ServiceWorld()
        var device = try await Self.device(world)
        let push = try await world.launch()
        let inApp = try await world.publish()
        let (app, client) = (world.app.id, device.client)
        let faulty = FaultyDatabase(world.database) { connection in
            let revision = try connection.devices.find(app: app, client: client)?.revision
            let accepted = try connection.figures.counts(of: push).accepted
            let planned = try connection.figures.counts(of: inApp).audience
            if revision == 2 || accepted > 0 || planned > 0 { try Self.readBadValue() }
        }
        try await device.register { $0.attributes = ["city": .string(Self.city)] }
        _ = try await world.makeProcessor(faulty).processWaiting()
        let attempts = world.makeAttempts("a", over: faulty)
        for _ in 1...6 {
            await world.dispatcher("a", database: faulty, attempts: attempts).runUntilIdle()
            await world.silentPushSender("a", database: faulty, attempts: attempts).runUntilIdle()
            world.clock.advance(by: 15)
        }
        let broken = FaultyDatabase(world.database) { _ in try Self.readBadValue() }
        let housekeeping = Housekeeping(
            database: broken, environment: world.environment, attempts: world.attempts, logger: world.logger
        )
        await housekeeping.tidy()

        let beginnings = [
            "registration rejected", "in-app campaigns cannot be planned", "work is in quarantine",
            "old rows cannot be removed",
        ]
        for beginning in beginnings {
            let entry = world.log.entries.first { "\($0.message)".hasPrefix(beginning) }
            #expect(entry.map { "\($0.metadata)".contains("Index 0") } == true, "\(beginning) without the place")
        }
        // A batch that cannot be read ends its campaign, which is said without the error.
        #expect(world.log.entries.contains { "\($0.message)".hasPrefix("campaign cancelled") })
        try expectNothingSecret(world, device)
    }

    @Test("SEC-3: the log of a pause has the reason of the push service, and nothing else of its response")
    func pause() async throws {
        let world = try await ServiceWorld()
        let device = try await Self.device(world)
        let body = #"{"reason":"InvalidProviderToken","token":"\#(Self.token)","for":"\#(Self.street)"}"#
        world.transport.answerAll(.answered(status: 403, body: body))
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let entry = try #require(world.log.entries.first { "\($0.message)" == "campaign paused" })
        #expect("\(entry.metadata)".contains("InvalidProviderToken"))
        #expect(!world.transport.requests.isEmpty && world.transport.requests.allSatisfy { $0.authorization != nil })
        try expectNothingSecret(world, device)
    }
}
