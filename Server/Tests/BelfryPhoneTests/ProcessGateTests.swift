import Testing

@testable import BelfryPhone

@Suite("The gate of a process")
struct ProcessGateTests {
    @Test("CON-14: what a suspended process does goes on when it is resumed, and never once it is killed")
    func gate() async throws {
        let gate = ProcessGate()
        try await gate.pass()
        gate.suspend()
        let waiting = (0..<8).map { _ in Task { try await gate.pass() } }
        gate.resume()
        for task in waiting { try await task.value }
        gate.suspend()
        let doomed = (0..<8).map { _ in Task { try await gate.pass() } }
        #expect(!gate.hasEnded)
        gate.end()
        #expect(gate.hasEnded)
        for task in doomed { await #expect(throws: CancellationError.self) { try await task.value } }
        gate.resume()
        await #expect(throws: CancellationError.self) { try await gate.pass() }
    }

    @Test("CON-14: a task that is cancelled does not wait for a suspended process")
    func cancelled() async {
        let gate = ProcessGate()
        gate.suspend()
        let task = Task { try await gate.pass() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
