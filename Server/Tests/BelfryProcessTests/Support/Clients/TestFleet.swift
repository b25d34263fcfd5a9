import BelfryModel
import BelfryServerTestSupport
import BelfrySimulators
import BelfryWire
import Foundation

/// Devices that registered for pushes, as cheaply as the API allows: a link and a push token each.
struct TestFleet: Sendable {
    /// The state of a device when a campaign reaches it.
    enum Kind: Sendable, CaseIterable {
        case reachable
        /// Notifications are switched off in the system's settings.
        case optedOut
        case tokenless
        /// The app was removed since.
        case gone
    }

    struct Member: Sendable {
        let device: DeviceCaller
        let kind: Kind
        let token: String?
    }

    /// Devices that register at the same time.
    private static let width = 16

    let members: [Member]

    /// Registers `count` devices, three of each twenty in one of the other kinds if `mixed`.
    static func register(
        _ count: Int, mixed: Bool = false, at server: ServerProcess, with service: PushService, _ stage: Stage
    ) async throws -> TestFleet {
        let members = try await withThrowingTaskGroup(of: Member.self) { group in
            var members: [Member] = []
            for number in 0..<count {
                if number >= width, let member = try await group.next() { members.append(member) }
                group.addTask {
                    try await member(number, mixed ? kind(of: number) : .reachable, at: server, with: service, stage)
                }
            }
            for try await member in group { members.append(member) }
            return members
        }
        return TestFleet(members: members)
    }

    /// Reachable devices that are written into the database, for tests with thousands. None of them calls the server.
    static func write(
        _ count: Int, to database: ServerDatabase, at server: ServerProcess, with service: PushService, _ stage: Stage
    ) async throws -> TestFleet {
        var members: [Member] = []
        var devices: [WrittenDevice] = []
        for number in 0..<count {
            let device = DeviceCaller(server: server, http: stage.http)
            let token = issueToken(number, with: service)
            devices.append(WrittenDevice(client: device.id, token: token, environment: environment(of: number)))
            members.append(Member(device: device, kind: .reachable, token: token))
        }
        try await database.write(devices, app: "shop")
        return TestFleet(members: members)
    }

    func members(of kind: Kind) -> [Member] { members.filter { $0.kind == kind } }

    /// One that sends events, whatever else happens to it.
    var sender: DeviceCaller { members[0].device }

    /// The push tokens that can be reached.
    var reachableTokens: Set<String> { Set(members(of: .reachable).compactMap(\.token)) }

    private static func kind(of number: Int) -> Kind {
        switch number % 20 {
        case 3: .optedOut
        case 8: .tokenless
        case 13: .gone
        default: .reachable
        }
    }

    /// One device in ten has a token of the sandbox.
    private static func environment(of number: Int) -> PushEnvironment {
        number % 10 == 9 ? .sandbox : .production
    }

    private static func issueToken(_ number: Int, with service: PushService) -> String {
        service.simulator.issueToken(
            topic: PushService.topic, environment: environment(of: number) == .sandbox ? .sandbox : .production
        )
    }

    private static func member(
        _ number: Int, _ kind: Kind, at server: ServerProcess, with service: PushService, _ stage: Stage
    ) async throws -> Member {
        let device = DeviceCaller(server: server, http: stage.http)
        if kind == .optedOut {
            try await device.putProperties(
                ClientProperties(platform: "ios", pushSettings: .init(authorizationStatus: "denied"))
            )
        }
        try await device.linkAnonymously()
        guard kind != .tokenless else { return Member(device: device, kind: kind, token: nil) }
        let token = issueToken(number, with: service)
        try await device.putPushToken(token, environment: environment(of: number))
        if kind == .gone {
            try service.simulator.setState(of: token, to: .unregistered(since: Date()))
        }
        return Member(device: device, kind: kind, token: token)
    }
}
