@testable import Belfry

/// The life of an app on a device that may die at any moment. When it has died, the app is started again and does again
/// what was not done.
protocol MortalLife {
    typealias Step = @Sendable (inout Self) async throws -> Void

    var world: World { get }
    var deaths: Int { get set }

    /// The app's calls at each start.
    func launch() async throws
    /// Waits until the device has nothing to do; when it died over that, it is started again.
    mutating func settle() async throws
}

extension MortalLife {
    /// Starts the app for the first time.
    mutating func begin() async throws {
        if try await !survives({ try await $0.launch() }) { try await rise() }
        try await settle()
    }

    /// - Parameter isRepeated: whether the app does it again when the device died over it.
    mutating func take(isRepeated: Bool = true, _ step: (inout Self) async throws -> Void) async throws {
        let isDone = try await survives(step)
        if world.mortality.isDead { try await rise() }
        if !isDone, isRepeated { try await step(&self) }
        try await settle()
    }

    mutating func settle() async throws {
        try await rest()
    }

    mutating func rest() async throws {
        try await world.client.waitUntilIdle()
        if world.mortality.isDead { try await rise() }
    }

    /// - Returns: false when the device died meanwhile; any other error is the test's.
    private mutating func survives(_ body: (inout Self) async throws -> Void) async throws -> Bool {
        do {
            try await body(&self)
            return true
        } catch {
            guard world.mortality.isDead else { throw error }
            return false
        }
    }

    private mutating func rise() async throws {
        deaths += 1
        await world.kill()
        world.mortality.revive()
        try await launch()
        try await world.client.waitUntilIdle()
    }
}
