import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Synchronization
import Testing

struct SilentPushPropertyTests {
    @Test(
        "PUSH-7: in any order of reasons, responses and kills, each reason is sent later or dropped",
        arguments: Endurance.seeds(12, brief: 3))
    func anyOrder(seed: UInt64) async throws {
        let story = try await SilentPushStory(seed: seed)
        try await story.run(steps: 40)
        let complaints = try await story.complaints()
        #expect(complaints == [])
    }
}

/// A fleet, push services in all tempers, and workers that die at any write.
private final class SilentPushStory {
    private static let devices = 4

    private struct Asked {
        let token: String
        let at: Date
        /// Requests that had left before.
        let requests: Int
    }

    private let world: ServiceWorld
    private var dice: SeededGenerator
    private var asked: [Asked] = []
    private var worker: SilentPushSender
    private var workers = 0
    private let log: PushLog

    init(seed: UInt64) async throws {
        world = try await ServiceWorld()
        dice = SeededGenerator(seed: seed)
        try await world.makeFleet(Self.devices)
        log = PushLog(world)
        worker = world.silentPushSender("0", transport: log)
    }

    func run(steps: Int) async throws {
        for step in 0..<steps {
            for number in 1...Self.devices { world.transport.script("token\(number)", answers()) }
            switch Int.random(in: 0..<6, using: &dice) {
            case 0, 1: try await ask("Number \(step)")
            case 2: world.clock.advance(by: Double(Int.random(in: 1...60, using: &dice)))
            case 3: world.clock.advance(by: Double(Int.random(in: 60...1_500, using: &dice)))
            case 4: await dieAtSomeWrite()
            default: await worker.runUntilIdle()
            }
        }
        // In the end the push services are well, and somebody is at work for long enough.
        for number in 1...Self.devices { world.transport.script("token\(number)", [.accepted]) }
        try await world.wakeDevices(until: world.clock.now.addingTimeInterval(10_000), by: next())
    }

    /// A reason for some of the devices.
    private func ask(_ name: String) async throws {
        let chosen = (1...Self.devices).filter { _ in Bool.random(using: &dice) }
        let ids = try chosen.map { try ServiceWorld.client($0).rawValue }
        _ = try await world.publish(name, audience: .deviceIDs(ids))
        // The walk is a matter of its own; here it is the reasons that count.
        while try await world.inAppPlanner().planNext() {}
        for number in chosen {
            asked.append(Asked(token: "token\(number)", at: world.clock.now, requests: log.entries.count))
        }
    }

    private func dieAtSomeWrite() async {
        let writes = Countdown(Int.random(in: 0..<5, using: &dice))
        let mortal = MortalDatabase(world.database, isLastWrite: { _ in !writes.next() })
        workers += 1
        await world.silentPushSender("\(workers)", transport: log, database: mortal).runUntilIdle()
        worker = next()
    }

    private func next() -> SilentPushSender {
        workers += 1
        return world.silentPushSender("\(workers)", transport: log)
    }

    private func answers() -> [ScriptedTransport.Response] {
        let all: [ScriptedTransport.Response] = [
            .accepted, .accepted, .tooMany, .serverError, .silence, .unsent, .payloadTooLarge,
        ]
        return (0..<3).map { _ in all.randomElement(using: &dice) ?? .accepted }
    }

    func complaints() async throws -> [String] {
        let entries = log.entries
        var complaints: [String] = []
        for number in 1...Self.devices {
            let token = "token\(number)"
            let state = try await world.silentPush(ServiceWorld.client(number))
            if let state, state.dueAt != nil || state.carried != [] || state.waiting != [] {
                complaints.append("\(token) is still owed something: \(state)")
            }
            complaints += Self.complaints(on: entries.filter { $0.token == token })
        }
        // No device opts out here, so every device that was to be woken has been tried.
        for reason in asked where !entries.dropFirst(reason.requests).contains(where: { $0.token == reason.token }) {
            complaints.append("\(reason.token) was not woken for a reason of \(reason.at)")
        }
        return complaints
    }

    /// Attempts at one push lie together: once another has begun, the first is over. That one is at least 20 minutes
    /// younger than any attempt at the first that may have arrived.
    private static func complaints(on entries: [PushLog.Entry]) -> [String] {
        var complaints: [String] = []
        var last: PushLog.Entry?
        var over: Set<String> = []
        for entry in entries {
            if let last, last.id != entry.id { over.insert(last.id) }
            if over.contains(entry.id) { complaints.append("\(entry.token) got a push again that was over") }
            let arrived = entries.last { $0.at <= entry.at && $0.id != entry.id && over.contains($0.id) && !$0.isLost }
            if let arrived, entry.at.timeIntervalSince(arrived.at) < 1_200 {
                complaints.append("\(entry.token) was woken at \(arrived.at) and at \(entry.at)")
            }
            last = entry
        }
        return complaints
    }
}

/// Keeps what left for which device, when, and whether it certainly did not arrive.
private final class PushLog: PushTransport {
    struct Entry: Sendable {
        let id: String
        let token: String
        let at: Date
        var isLost = false
    }

    private let world: ServiceWorld
    private let state = Mutex<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }

    init(_ world: ServiceWorld) {
        self.world = world
    }

    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        for (index, request) in requests.enumerated() {
            let id = request.fields.first { $0.name == "apns-id" }?.value ?? ""
            let token = String(request.path.split(separator: "/").last ?? "")
            let entry = Entry(id: id, token: token, at: world.clock.now)
            let place = state.withLock { entries in
                entries.append(entry)
                return entries.count - 1
            }
            world.transport.send([request], by: route) { [self] _, result in
                if result.isLost { state.withLock { $0[place].isLost = true } }
                onResponse(index, result)
            }
        }
    }
}

extension PushResult {
    /// Whether the push service has certainly not taken it.
    fileprivate var isLost: Bool {
        switch self {
        case .answered(let response): response.status != 200
        case .notProcessed: true
        case .unanswered: false
        }
    }
}
