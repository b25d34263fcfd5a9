/// Makes a number of calls, many at a time: each caller makes its next call after the response to its last.
struct FleetLoad<Output: Sendable>: Sendable {
    private struct Call: Sendable {
        let output: Output
        let milliseconds: Double
    }

    /// The number of operations; a call may do several.
    let operations: Int
    /// The duration of each call, including the making of its request; empty for work without calls.
    let milliseconds: [Double]
    /// The result of each call, in any order.
    let outputs: [Output]

    /// The load of work without calls of devices.
    init(operations: Int, outputs: [Output] = []) {
        self.operations = operations
        milliseconds = []
        self.outputs = outputs
    }

    /// Makes the calls. Throws at the first call that fails.
    ///
    /// - Parameters:
    ///   - each: the number of operations per call.
    ///   - width: the number of concurrent calls.
    ///   - call: makes one call; it receives the call's number, from 0 on.
    init(
        calls count: Int, each: Int = 1, width: Int = BenchHTTP.width,
        _ call: @escaping @Sendable (_ number: Int) async throws -> Output
    ) async throws {
        let callers = min(width, count)
        let calls = try await withThrowingTaskGroup(of: [Call].self, returning: [[Call]].self) { group in
            for caller in 0..<callers {
                group.addTask {
                    let clock = ContinuousClock()
                    var calls: [Call] = []
                    for number in stride(from: caller, to: count, by: callers) {
                        let begin = clock.now
                        let output = try await call(number)
                        calls.append(Call(output: output, milliseconds: (clock.now - begin).inMilliseconds))
                    }
                    return calls
                }
            }
            var all: [[Call]] = []
            for try await calls in group { all.append(calls) }
            return all
        }
        operations = count * each
        milliseconds = calls.flatMap { $0.map(\.milliseconds) }
        outputs = calls.flatMap { $0.map(\.output) }
    }
}
