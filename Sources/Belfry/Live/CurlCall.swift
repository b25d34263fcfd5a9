#if os(Linux)
    import Foundation

    /// A request that somebody waits for.
    struct CurlCall: Sendable {
        let number: Int
        let request: TransportRequest
        let url: URL
        let waiter: CheckedContinuation<TransportResponse, any Error>
    }
#endif
