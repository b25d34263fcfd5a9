import AsyncHTTPClient
import NIOCore

extension HTTPClient {
    /// One call, from the connection to the end of the answer's body, by a deadline: the library's own ends with the
    /// answer's head, and who sends a body byte by byte would never be given up.
    func exchange(
        _ request: HTTPClientRequest, upTo maximumBytes: Int, deadline: NIODeadline
    ) async throws -> (status: Int, body: ByteBuffer) {
        try await withThrowingTaskGroup(of: (status: Int, body: ByteBuffer).self) { group in
            group.addTask {
                let response = try await self.execute(request, deadline: deadline)
                let body = try await response.body.collect(upTo: maximumBytes)
                return (Int(response.status.code), body)
            }
            group.addTask {
                try await _Concurrency.Task.sleep(for: .nanoseconds((deadline - .now()).nanoseconds))
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            // The group has two tasks, and neither ends without a word.
            guard let answer = try await group.next() else { throw HTTPClientError.deadlineExceeded }
            return answer
        }
    }
}
