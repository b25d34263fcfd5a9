import BelfryServices
import BelfryWire
import Hummingbird
import NIOCore

/// The processing of every request and every response, in one layer, because each layer adds a cost to each call: the
/// limit on bodies (SEC-2), error responses (WIRE-23), browsers (WIRE-24), headers and compression (WIRE-20, WIRE-27).
struct CommonMiddleware: RouterMiddleware {
    let authentication: CallerAuthentication
    let errors: ErrorResponder
    let origins: CrossOrigin
    let growth: DiskSpaceGuard
    let meters: RequestMeters

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        let begin = meters.begin()
        var response: Response
        do {
            try checkSpelling(of: request.uri.path)
            try checkAnnouncedLength(of: request)
            try growth.check(request.method, of: context.endpointPath)
            let request = try awaitingItsBody(request, context)
            if let preflight = try await origins.preflight(request) {
                response = preflight
            } else {
                response = try await next(request, context)
            }
        } catch {
            response = try errors.response(to: error, request, context)
            // An unexpected body would be read as the response to the connection's next request.
            if request.method == .head { response = response.createHeadResponse() }
        }
        echoClientState(of: request, in: &response)
        // The console's pages and files set their own cache lifetime.
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        response.headers[.xContentTypeOptions] = "nosniff"
        await origins.open(&response, to: request)
        try await response.compress(for: request)
        meters.end(request.method, at: context.endpointPath, status: response.status.code, since: begin)
        return response
    }

    /// Rejects an address with an empty segment: `//metrics`, `/metrics/`. The router ignores these, but a proxy that
    /// closes `/metrics` to the outside may not.
    private func checkSpelling(of path: String) throws(APIError) {
        var last: UInt8 = 0
        for byte in path.utf8 {
            if byte == UInt8(ascii: "/"), last == byte { throw .unknownAddress }
            last = byte
        }
        // People type `/console/`.
        guard last != UInt8(ascii: "/") || path == "/" || path == "/console/" else { throw .unknownAddress }
    }

    /// Rejects a body that is announced as too large, before any of it is read (WIRE-23). One without an announced
    /// length is limited where it is read.
    private func checkAnnouncedLength(of request: Request) throws(APIError) {
        guard let text = request.headers[.contentLength] else { return }
        // The parser has checked that these are digits. If they do not fit a number, there are too many bytes as well.
        let digits = Substring(text.utf8.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") })
        guard let length = Int(digits), length <= WireLimits.maximumBodyBytes else { throw .bodyTooLarge }
    }

    /// A client that waits for a 100 gets it as soon as the body is read, after all other checks (SEC-12).
    private func awaitingItsBody(_ request: Request, _ context: APIRequestContext) throws(APIError) -> Request {
        guard let expectation = request.headers[.expect] else { return request }
        guard expectation.lowercased() == "100-continue" else { throw .unknownExpectation }
        var request = request
        request.body = RequestBody(asyncSequence: AwaitedBody(body: request.body, channel: context.peer.channel))
        return request
    }

    /// Every response of the device API carries `X-Client-State` (WIRE-20). An error repeats the state that the request
    /// carried, but only if this server issued it.
    private func echoClientState(of request: Request, in response: inout Response) {
        guard !response.headers.contains(.clientState), let shown = request.headers[.clientState],
            let state = authentication.knownState(shown, client: request.headers[.clientID])
        else { return }
        response.headers[.clientState] = state
    }
}

/// The body of a request whose client waits for a 100 (`Expect: 100-continue`, RFC 9110 §10.1.1). The code that reads
/// it has checked everything else, and so causes the 100; code that rejects the request never reads it.
struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let channel: any Channel

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: RequestBody.AsyncIterator
        fileprivate var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            if let channel {
                self.channel = nil
                channel.triggerUserOutboundEvent(BodyWanted(), promise: nil)
            }
            return try await base.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: body.makeAsyncIterator(), channel: channel)
    }
}
