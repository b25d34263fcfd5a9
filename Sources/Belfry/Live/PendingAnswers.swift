import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The answers that a session's tasks are collecting, each up to a bound.
///
/// A redirect is answered with the redirect itself: a token must not travel to another origin, nor a `POST` become a
/// `GET`.
final class PendingAnswers: NSObject, URLSessionDataDelegate, Sendable {
    typealias Outcome = Result<TransportResponse, any Error>

    private struct Answer {
        var body = Data()
        var waiter: CheckedContinuation<TransportResponse, any Error>?
        /// Known before anybody waited for it.
        var outcome: Outcome?
    }

    private let maximumBytes: Int
    private let answers = Locked<[Int: Answer]>([:])

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// A task was made that will be waited for.
    func begin(_ number: Int) {
        answers.withLock { $0[number] = Answer() }
    }

    /// Hands the outcome over, now or when it is known.
    func wait(for number: Int, _ waiter: CheckedContinuation<TransportResponse, any Error>) {
        let known: Outcome? = answers.withLock { answers in
            if let outcome = answers[number]?.outcome {
                answers[number] = nil
                return outcome
            }
            answers[number]?.waiter = waiter
            return nil
        }
        if let known { waiter.resume(with: known) }
    }

    /// The first outcome counts; what comes after it is of no interest.
    func end(_ number: Int, _ outcome: Outcome) {
        let waiter = answers.withLock { answers -> CheckedContinuation<TransportResponse, any Error>? in
            guard let answer = answers[number] else { return nil }
            guard let waiter = answer.waiter else {
                if answer.outcome == nil { answers[number]?.outcome = outcome }
                return nil
            }
            answers[number] = nil
            return waiter
        }
        waiter?.resume(with: outcome)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let number = dataTask.taskIdentifier
        let isTooLarge = answers.withLock { answers in
            guard let held = answers[number]?.body.count else { return false }
            guard held + data.count <= maximumBytes else { return true }
            answers[number]?.body.append(data)
            return false
        }
        guard isTooLarge else { return }
        end(number, .failure(URLSessionTransport.Failure.answerTooLarge))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let number = task.taskIdentifier
        if let error { return end(number, .failure(error)) }
        guard let response = task.response as? HTTPURLResponse else {
            return end(number, .failure(URLSessionTransport.Failure.notHTTP))
        }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            headers["\(name)"] = "\(value)"
        }
        let body = answers.withLock { $0[number]?.body } ?? Data()
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
