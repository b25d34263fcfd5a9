import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import GRDB
import Testing

@testable import Belfry

/// A device that tracks in any weather, by seed: answers get lost, the server refuses, is busy or asks for patience,
/// foreign servers respond, tokens expire; the app enters the foreground, the background, and ends.
struct TrackingLife {
    let world: World
    let seed: UInt64
    /// The names of events, in the order in which `track` returned.
    private(set) var tracked: [String] = []

    private let dice: Chance
    /// How likely it is that a request meets with something else than the server's response.
    private let trouble = Locked(0.0)
    private let reported: Locked<[ClientReport]> = Locked([])
    private var listening: Task<Void, Never>?
    private var isShown = true
    /// The length of an event's filler.
    private let mostBytes: Int

    init(seed: UInt64, limits: QueueLimits? = nil, mostBytes: Int) throws {
        self.seed = seed
        self.mostBytes = mostBytes
        dice = Chance(seed: seed)
        world = try World(seed: seed) { configuration in
            configuration.uploads.flushCount = 10
            configuration.uploads.batchCount = 40
            if let limits { configuration.queueLimits = limits }
        }
        let weather = Weather(chance: Chance(seed: seed &+ 1_000))
        let level = self.trouble
        world.wire.decide { attempt in weather.outcome(of: attempt, trouble: level.withLock { $0 }) }
    }

    /// - Parameters:
    ///   - fairness: how likely it is that the weather is fair for a step; else there is much trouble.
    ///   - bodies: how many bytes the server takes at once, changing from step to step.
    ///   - everyStep: is called when the device rests.
    mutating func live(
        steps: Int,
        fairness: Double,
        bodies: [Int] = [WireLimits.maximumBodyBytes],
        everyStep: (TrackingLife) async throws -> Void = { _ in }
    ) async throws {
        let poison = Set((0..<10 * steps).map { "poison-\($0)" })
        let rejected = Set((0..<10 * steps).map { "rejected-\($0)" })
        try await begin()
        for number in 0..<steps {
            let largest = bodies[number % bodies.count]
            await world.server.set(poison: poison, rejectedAlone: rejected, maximumBody: largest)
            let isFair = dice.unit() < fairness
            trouble.withLock { $0 = isFair ? 0.1 : 0.8 }
            try await step()
            await world.settle()
            let pause = dice.unit() < 0.04 ? 14_400 * dice.unit() : 40 * dice.unit()
            world.clock.advance(by: pause)
            try await world.client.flush()
            try await everyStep(self)
        }
    }

    /// Nothing leaves any more: the queue fills, and what waits grows old.
    mutating func overflow() async throws {
        trouble.withLock { $0 = 1 }
        for _ in 0..<2 * world.configuration.queueLimits.count {
            try await track()
        }
        try await world.client.flush()
        try checkLimits()
        try await world.advance(by: world.configuration.queueLimits.age + 60)
    }

    /// The weather is fair, and there is time for every back-off.
    mutating func recover() async throws {
        trouble.withLock { $0 = 0 }
        try await show(true)
        for _ in 0..<8 {
            try await world.advance(by: 400)
        }
        try await world.client.flush()
    }

    mutating func end() async {
        await world.kill()
        await listening?.value
        listening = nil
    }

    private mutating func step() async throws {
        switch dice.unit() {
        case ..<0.65:
            for _ in 0..<(1 + Int(dice.next() % 4)) {
                try await track()
            }
        case ..<0.75:
            await end()
            isShown = dice.unit() < 0.8
            try await begin()
        case ..<0.85: try await show(!isShown)
        case ..<0.9: await world.server.expireTokens()
        default: break
        }
    }

    private mutating func begin() async throws {
        let client = try await world.start(inForeground: isShown)
        listening = Task { [reported] in
            for await report in client.reports {
                reported.withLock { $0.append(report) }
            }
        }
    }

    private mutating func show(_ isShown: Bool) async throws {
        self.isShown = isShown
        if isShown {
            try await world.client.didEnterForeground()
        } else {
            try await world.client.didEnterBackground()
        }
    }

    private mutating func track() async throws {
        let chance = dice.unit()
        let kind = chance < 0.04 ? "poison" : chance < 0.08 ? "rejected" : "event"
        let name = "\(kind)-\(tracked.count)"
        let filler = dice.unit() < 0.3 ? Int(dice.next() % UInt64(mostBytes)) : 0
        try await world.client.track(name, attributes: ["filler": .string(String(repeating: "x", count: filler))])
        tracked.append(name)
        // Events in flight when the queue overflows may be both accepted and dropped; the counts need only one of the
        // two.
        await world.settle()
    }
}

// MARK: - What must be true

extension TrackingLife {
    private static func isFaulty(_ name: String) -> Bool {
        !name.hasPrefix("event-")
    }

    /// Everything is stored once and in order, or aside with its reason.
    func checkEverythingArrived() async throws {
        let stored = await world.server.tracked.map(\.name)
        let good = tracked.filter { !Self.isFaulty($0) }
        #expect(stored == good, "seed \(seed)")
        let aside = try names(in: "SELECT body FROM set_aside WHERE reason <> '' ORDER BY id")
        let faulty = tracked.filter(Self.isFaulty)
        #expect(aside == faulty, "seed \(seed)")
        let queue = try await world.client.state().queue
        #expect(queue.count == 0 && queue.droppedFull == 0 && queue.droppedOld == 0, "seed \(seed)")
        #expect(queue.setAside == faulty.count, "seed \(seed)")
    }

    /// After a failure of the server the next upload waits as long as its back-off, or as the server asked for.
    func checkPace() {
        let uploads = world.wire.attempts("POST /client/events")
        var failures = 0
        for (earlier, later) in zip(uploads, uploads.dropFirst()) {
            var least: TimeInterval = 0
            switch UploadResponse(earlier) {
            case .taken, .contentRejected: failures = 0
            case .unauthorized: break
            case .noNetwork: failures += 1
            case .serverFailed(let retryAfter):
                failures += 1
                least = max(min(900, 2 * pow(2, Double(failures - 1))), retryAfter)
            }
            let gap = later.lived - earlier.lived
            #expect(gap >= least - 0.001, "upload \(later.number) after \(gap) s, not \(least) s. Seed \(seed)")
        }
        let attempts = world.wire.attempts
        let busy = zip(attempts, attempts.dropFirst(300)).filter { $1.lived - $0.lived < 60 }
        #expect(busy.isEmpty, "three hundred requests within a minute. Seed \(seed)")
    }

    /// The queue keeps within its limits.
    func checkLimits() throws {
        let limits = world.configuration.queueLimits
        let status = try world.client.recorder.storage.opened().store.queueStatus()
        #expect(status.count <= limits.count && status.bytes <= limits.bytes, "\(status). Seed \(seed)")
        guard let oldest = status.oldestAt else { return }
        let age = world.clock.now.timeIntervalSince(oldest)
        #expect(age <= limits.age + 0.01, "an event is \(age) s old. Seed \(seed)")
    }

    /// Every event that was ever queued was accepted, became a dead letter, was dropped or still waits, exactly as
    /// reported.
    func checkAccounts() async throws {
        let queue = try await world.client.state().queue
        let inserted = try world.client.recorder.storage.opened().store.access { db in
            try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
        }
        let uploads = world.wire.attempts("POST /client/events")
        let taken = try uploads.reduce(0) { try $0 + UploadResponse.eventsTaken(by: $1) }
        let accounted = queue.count + queue.droppedFull + queue.droppedOld + queue.setAside + taken
        #expect(inserted == accounted, "\(queue), \(taken) were taken. Seed \(seed)")
        let stored = await world.server.tracked.map(\.name)
        let inOrder = tracked.filter { stored.contains($0) }
        #expect(stored == inOrder, "once each, in order. Seed \(seed)")
    }

    /// All reports to the app, over all lives; call it after the end.
    func checkReports(_ queue: ClientState.Queue) {
        var full = 0
        var old = 0
        var aside = 0
        for report in reported.withLock({ $0 }) {
            switch report {
            case .eventsDropped(count: let count, reason: .queueFull): full += count
            case .eventsDropped(count: let count, reason: .tooOld): old += count
            case .eventsSetAside(count: let count, reason: _): aside += count
            default: break
            }
        }
        let counted = [queue.droppedFull, queue.droppedOld, queue.setAside]
        #expect(counted == [full, old, aside] as [Int], "seed \(seed)")
    }

    private func names(in sql: String) throws -> [String] {
        let bodies = try world.client.recorder.storage.opened().store.access { db in
            try Data.fetchAll(db, sql: sql)
        }
        return try bodies.map { try JSONDecoder().decode(WireEvent.self, from: $0).name ?? "none" }
    }
}
