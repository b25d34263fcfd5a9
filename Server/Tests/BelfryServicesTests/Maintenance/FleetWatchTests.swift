import BelfryModel
import BelfryStore
import Foundation
import Synchronization
import Testing

@testable import BelfryServices

/// The bells of the processes of one database, in the memory of a test.
private final class Bells: Sendable {
    private struct State {
        var ears: [Int: @Sendable (SharedWork) -> Void] = [:]
        var count: Int?
        var next = 0
    }

    private let state = Mutex(State())

    func bell() -> Bell {
        Bell(
            bells: self,
            number: state.withLock { state in
                state.next += 1
                return state.next
            }
        )
    }

    func setCount(_ count: Int?) {
        state.withLock { $0.count = count }
    }

    struct Bell: ProcessBell {
        let bells: Bells
        let number: Int

        func ring(_ work: SharedWork) {
            let others = bells.state.withLock { state in state.ears.filter { $0.key != number }.map(\.value) }
            for hear in others { hear(work) }
        }

        func listen(isCounted: Bool, _ hear: @escaping @Sendable (SharedWork) -> Void) {
            bells.state.withLock { $0.ears[number] = hear }
        }

        func count() async -> Int? { bells.state.withLock { $0.count } }
    }
}

@Suite("Several processes")
struct FleetWatchTests {
    private static func watch(
        _ world: ServiceWorld, _ bells: Bells, _ signals: ServiceSignals = ServiceSignals(),
        _ rates: RequestRates? = nil
    ) -> (watch: FleetWatch, limits: RequestLimits) {
        let limits = RequestLimits(
            rates: rates, proxies: .none, now: world.environment.now, metrics: world.metrics
        )
        let watch = FleetWatch(
            bell: bells.bell(), signals: signals, limits: limits, answersCalls: true, environment: world.environment,
            metrics: world.metrics
        )
        return (watch, limits)
    }

    @Test(
        "FLEET-1: what one process has stored another one does at once, while no clock moves", .timeLimit(.minutes(20))
    )
    func wakes() async throws {
        let world = try await ServiceWorld()
        let bells = Bells()
        let api = ServiceSignals { [bell = bells.bell()] in bell.ring($0) }
        let worker = ServiceSignals()
        let device = try await ServiceDevice.started(world, 9)
        let registrations = RegistrationIngestion(
            database: world.database, keys: world.keys, environment: world.environment, received: api.registrations
        )
        let campaigns = CampaignServices(
            database: world.database, environment: world.environment,
            tests: TestDelivery(accounts: world.accounts, transport: world.transport, keys: world.keys),
            work: api.campaigns, inAppWork: api.silentPushes
        )
        let services: [Task<Void, any Error>] = [
            Task { await Self.watch(world, bells, worker).watch.run() },
            Task { try await world.makeProcessor(received: worker.registrations).run() },
            Task { await world.dispatcher("worker", work: worker.campaigns).run() },
        ]
        // All of them sleep, and only somebody else's work wakes them.
        await world.clock.asleep(atLeast: 4)
        for revision in 1...3 {
            let snapshot = device.snapshot(revision: revision)
            _ = try await registrations.receive(snapshot, caller: device.authenticated())
            while try await registrations.receipt(snapshot.registrationId, caller: device.authenticated()).value.status
                == .received
            {
                await Task.yield()
            }
        }
        try await world.makeFleet(3)
        let id = try await campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        _ = try await campaigns.life.launch(id, app: world.app)
        await world.transport.received(3)
        #expect(world.transport.requests.count == 3)
        for service in services { service.cancel() }
        for service in services { _ = await service.result }
    }

    @Test("FLEET-1, SEC-2: the calls of a key are divided among the processes that answer, and a refusal says so")
    func keys() async throws {
        let world = try await ServiceWorld()
        let bells = Bells()
        // 40 calls of a key a minute, 20 of them at once.
        let (watch, limits) = Self.watch(
            world, bells, ServiceSignals(), RequestRates(perDevice: 20, limitsLoopback: false)
        )
        let root = try await world.access.principal(bearer: TestKeys.rootKey)
        let own = try await world.access.principal(bearer: world.apiKey)
        bells.setCount(4)
        await watch.look()
        #expect(world.metrics.values["belfry_api_processes"] == 4)
        for _ in 0..<5 { try limits.admit(root) }
        let message = """
            An admin key may send at most 40 requests a minute. Each of the 4 processes that answer calls grants an \
            equal part of it. Try again in 6 s.
            """
        #expect(throws: ServiceError.tooManyCalls(limit: "adminKey", message: message, retryAfter: 6)) {
            try limits.admit(root)
        }
        // While nobody knows how many there are, it stays.
        bells.setCount(nil)
        await watch.look()
        for _ in 0..<5 { try limits.admit(own) }
        #expect(throws: ServiceError.self) { try limits.admit(own) }
        // The others have ended: what was used up stays so, and flows in at the whole rate.
        bells.setCount(1)
        await watch.look()
        #expect(throws: ServiceError.self) { try limits.admit(own) }
        world.clock.advance(by: 30)
        for _ in 0..<20 { try limits.admit(own) }
        #expect(throws: ServiceError.self) { try limits.admit(own) }
    }

    @Test("FLEET-1, SEC-9: so is what an app's devices send; what one device may send is not")
    func apps() async throws {
        let world = try await ServiceWorld()
        let bells = Bells()
        let (watch, limits) = Self.watch(
            world, bells, ServiceSignals(),
            RequestRates(perDevice: 6_000, limitsLoopback: false, app: AppBudget(mebibytesPerMinute: 1))
        )
        let caller = try await ServiceDevice.started(world, 1).authenticated()
        let meter = limits.meter(of: caller, from: nil)
        bells.setCount(4)
        await watch.look()
        // A quarter of 1 MiB.
        for _ in 0..<26 { #expect(meter.grants(bytes: 10_000, events: 0)) }
        #expect(!meter.grants(bytes: 10_000, events: 0))
        for _ in 0..<1_200 { #expect(limits.grants(caller.client, of: world.app, showing: caller.installation)) }
        #expect(!limits.grants(caller.client, of: world.app, showing: caller.installation))
    }

    @Test("FLEET-1: a process alone has all of every rate")
    func alone() async throws {
        #expect(await LoneProcess().count() == 1)
        let limiter = RateLimiter<Int>(RateLimit(perMinute: 60, burst: 3), maximumCount: 10)
        for parts in [0, 1] {
            limiter.divide(by: parts)
            #expect(limiter.division.isEmpty)
        }
        // A bucket that holds more than its part loses the rest; nobody is blocked for good.
        limiter.divide(by: 100)
        #expect(limiter.take(1, now: ServiceWorld.epoch) == nil)
        #expect(limiter.take(1, now: ServiceWorld.epoch) == 60)
    }
}
