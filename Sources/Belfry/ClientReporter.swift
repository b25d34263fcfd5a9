/// Hands reports to whoever listens; the newest hundred wait for a listener.
struct ClientReporter: Sendable {
    static let maximumWaiting = 100

    let reports: AsyncStream<ClientReport>
    private let continuation: AsyncStream<ClientReport>.Continuation

    init() {
        let made = AsyncStream<ClientReport>.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
        reports = made.stream
        continuation = made.continuation
    }

    func report(_ report: ClientReport) {
        continuation.yield(report)
    }

    func finish() {
        continuation.finish()
    }
}
