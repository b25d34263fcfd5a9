import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The responses that a session's tasks are receiving, each up to a maximum size.
///
/// A redirect is returned as the response: a token must not be sent to another origin, nor a `POST` become a `GET`.
final class PendingResponses: NSObject, URLSessionDataDelegate, Sendable {
    typealias Outcome = Result<TransportResponse, any Error>

    private struct Response {
        var body = Data()
        var waiter: CheckedContinuation<TransportResponse, any Error>?
        /// Set if the outcome is known before a caller waits for it.
        var outcome: Outcome?
    }

    private let maximumBytes: Int
    private let responses = Locked<[Int: Response]>([:])

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Begins a task whose response a caller will wait for.
    func begin(_ number: Int) {
        responses.withLock { $0[number] = Response() }
    }

    /// Passes the outcome to the waiter, now or when it is known.
    func wait(for number: Int, _ waiter: CheckedContinuation<TransportResponse, any Error>) {
        let known: Outcome? = responses.withLock { responses in
            if let outcome = responses[number]?.outcome {
                responses[number] = nil
                return outcome
            }
            responses[number]?.waiter = waiter
            return nil
        }
        if let known { waiter.resume(with: known) }
    }

    /// The first outcome counts; later ones are ignored.
    func end(_ number: Int, _ outcome: Outcome) {
        let waiter = responses.withLock { responses -> CheckedContinuation<TransportResponse, any Error>? in
            guard let answer = responses[number] else { return nil }
            guard let waiter = answer.waiter else {
                if answer.outcome == nil { responses[number]?.outcome = outcome }
                return nil
            }
            responses[number] = nil
            return waiter
        }
        waiter?.resume(with: outcome)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let number = dataTask.taskIdentifier
        let isTooLarge = responses.withLock { responses in
            guard let held = responses[number]?.body.count else { return false }
            guard held + data.count <= maximumBytes else { return true }
            responses[number]?.body.append(data)
            return false
        }
        guard isTooLarge else { return }
        end(number, .failure(HTTPTransportFailure.responseTooLarge))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let number = task.taskIdentifier
        if let error { return end(number, .failure(error)) }
        guard let response = task.response as? HTTPURLResponse else {
            return end(number, .failure(HTTPTransportFailure.notHTTP))
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            headers["\(name)"] = "\(value)"
        }
        let body = responses.withLock { $0[number]?.body } ?? Data()
        end(number, .success(TransportResponse(status: response.statusCode, headers: headers, body: body)))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
