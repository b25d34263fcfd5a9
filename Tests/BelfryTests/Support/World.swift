import BelfryModel
import BelfryRules
import Foundation

@testable import Belfry

/// A device, its server and a clock. The device can die and be started again over the same storage.
final class World: Sendable {
    static let epoch = Date(timeIntervalSince1970: 1_767_571_200)

    let clock = ManualClock(epoch)
    /// Seconds by which the device's own clock is ahead from the next life on.
    let clockError = Locked<TimeInterval>(0)
    /// Seconds by which that clock was set ahead since the device was started, which another one notices; nil for a device
    /// without another one.
    let setAhead = Locked<TimeInterval?>(nil)
    let server: FakeServer
    /// The network between the two.
    let wire: Wire
    /// Lets the device die at a write of its store.
    let mortality = Mortality()
    /// The screen for in-app messages, and the links that they open.
    let screen = ScriptedInAppPresenter()
    let links = OpenedLinks()
    let directory: URL
    let configuration: BelfryConfiguration
    private let chance: Chance
    private let system: Locked<SystemProperties>
    private let life: Locked<Life?> = Locked(nil)
    private let deaths = Locked(0)
    private let dying: Locked<Task<Void, Never>?> = Locked(nil)

    private struct BadAddress: Error {}

    private struct Life {
        let client: BelfryClient
        let platform: HeadlessPlatform
    }

    init(
        seed: UInt64 = 1,
        _ configure: (inout BelfryConfiguration) -> Void = { _ in }
    ) throws {
        server = FakeServer(clock: clock)
        wire = Wire(to: server, clock: clock)
        chance = Chance(seed: seed)
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-\(UUID().uuidString)")
        guard let address = URL(string: "https://push.example.com") else { throw BadAddress() }
        var configuration = try BelfryConfiguration(appCode: "shop", serverURL: address, directory: directory)
        configure(&configuration)
        self.configuration = configuration
        system = Locked(
            SystemProperties(
                timeZone: "Europe/Paris", locale: "fr_FR", platform: "ios", osVersion: "18.0", appVersion: "1.0",
                sdkVersion: "0.1.0", deviceModel: "iPhone14,2"
            )
        )
    }

    deinit {
        // A test's directory may stay behind; it is in the temporary folder.
        try? FileManager.default.removeItem(at: directory)
    }

    /// The client of the present life.
    var client: BelfryClient {
        get throws {
            guard let life = life.withLock({ $0 }) else { throw BelfryError.stopped }
            return life.client
        }
    }

    var isDead: Bool {
        life.withLock { $0 == nil }
    }

    /// How often the device died in the middle of a request.
    var deathCount: Int {
        deaths.withLock { $0 }
    }

    /// Makes a client and starts it.
    @discardableResult
    func start(
        inForeground: Bool = true,
        notifications: (any NotificationDisplay)? = nil
    ) async throws -> BelfryClient {
        if let death = dying.withLock({ $0 }) { await death.value }
        let client = try make(inForeground: inForeground, notifications: notifications)
        try await client.start()
        return client
    }

    /// Makes a client without starting it.
    func make(
        inForeground: Bool = true,
        notifications: (any NotificationDisplay)? = nil
    ) throws -> BelfryClient {
        let platform = HeadlessPlatform(
            system: system.withLock { $0 },
            startsInForeground: inForeground,
            notifications: notifications,
            inAppPresenter: screen,
            linkOpener: links
        )
        var environment = DeviceEnvironment.manual(clock, chance)
        environment.storeProbe = mortality.probe
        environment.steadyTime = { [clock, setAhead] in
            let ahead = setAhead.withLock { $0 }
            return ahead.map { SteadyTime(start: "one", seconds: clock.now.timeIntervalSince(World.epoch) - $0) }
        }
        let error = clockError.withLock { $0 }
        if error != 0 {
            environment.now = { [clock] in clock.now.addingTimeInterval(error) }
            environment.sleep = { [clock] in await clock.rest(until: $0.addingTimeInterval(-error)) }
        }
        let client = try BelfryClient(
            configuration: configuration,
            platform: platform,
            transport: wire,
            environment: environment
        )
        life.withLock { $0 = Life(client: client, platform: platform) }
        return client
    }

    /// Ends the present life. Nothing is written while it ends, so it is as good as a kill.
    func kill() async {
        let former = life.withLock { life in
            defer { life = nil }
            return life
        }
        await former?.client.stop()
        // Whatever a process shows ends with it.
        screen.clearScreen()
    }

    /// Lets the server kill the device at a request, counted from the first.
    func killDevice(atRequest number: Int, arrived: Bool) async {
        await server.whenDeviceDies { [weak self] in
            guard let self else { return }
            deaths.withLock { $0 += 1 }
            // The request that died waits for this very end, so it cannot be awaited here.
            dying.withLock { $0 = Task { await self.kill() } }
        }
        await server.killDevice(atRequest: number, arrived: arrived)
    }

    /// Kills the device and starts it again.
    @discardableResult
    func restart(inForeground: Bool = true) async throws -> BelfryClient {
        await kill()
        return try await start(inForeground: inForeground)
    }

    /// Moves the clock, once the device has nothing left to do at once, and waits until that is so again.
    func advance(by seconds: TimeInterval) async throws {
        try await client.waitUntilIdle()
        clock.advance(by: seconds)
        try await client.waitUntilIdle()
    }

    /// Sets the device's clock ahead, where it has another one.
    func setClockAhead(by seconds: TimeInterval) {
        setAhead.withLock { $0 = $0.map { $0 + seconds } }
        clock.advance(by: seconds)
    }

    private struct NeverAsleep: Error {}

    /// Seconds until the living device wakes by itself.
    func nextWake() async throws -> TimeInterval {
        // The time limit of the test ends a wait in vain.
        while !Task.isCancelled {
            await settle()
            if let wake = clock.nextWake { return wake }
            // It has decided to sleep and is about to.
            await Task.yield()
        }
        throw NeverAsleep()
    }

    /// Lets time pass for a living device, stopping wherever it wakes.
    func pass(_ seconds: TimeInterval) async throws {
        var left = seconds
        while left > 0 {
            // A hair later, so that no rounding keeps a due moment in the future.
            let step = min(left, max(try await nextWake(), 0) + 0.001)
            clock.advance(by: step)
            left -= step
        }
        await settle()
    }

    /// Changes what the system says; the device reads it when it is shown or started.
    func setSystem(_ change: @Sendable (inout SystemProperties) -> Void) {
        system.withLock { change(&$0) }
        let changed = system.withLock { $0 }
        life.withLock { $0 }?.platform.setSystem(changed)
    }

    /// The device's state, read from its storage.
    var state: DeviceState {
        get async throws {
            try await client.engine.state()
        }
    }
}

extension BelfryClient {
    /// The platform tells that the network went and came back.
    func networkReturns() async throws {
        try await engine.lifecycle.becameOnline(false)
        try await engine.lifecycle.becameOnline(true)
    }
}

/// The reports that a client made in its life; call it after its end.
func reports(of client: BelfryClient) async -> [ClientReport] {
    var collected: [ClientReport] = []
    for await report in client.reports {
        collected.append(report)
    }
    return collected
}
