/// So many calls, many at a time: whoever has an answer makes the next one.
struct FleetLoad<Output: Sendable>: Sendable {
    private struct Call: Sendable {
        let output: Output
        let milliseconds: Double
    }

    /// What was done; a call may do several.
    let operations: Int
    /// What each call took, with the making of its request; empty where nobody waited for an answer.
    let milliseconds: [Double]
    /// What each call gave, in any order.
    let outputs: [Output]

    /// What was done without calls of devices.
    init(operations: Int, outputs: [Output] = []) {
        self.operations = operations
        milliseconds = []
        self.outputs = outputs
    }

    /// Makes the calls. One that is refused ends it.
    ///
    /// - Parameters:
    ///   - each: how many operations a call does.
    ///   - width: calls at a time.
    ///   - call: is told the number of the call, from 0 on.
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
