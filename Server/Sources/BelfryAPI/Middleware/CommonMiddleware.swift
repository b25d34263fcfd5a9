import BelfryServices
import BelfryWire
import Hummingbird
import NIOCore

/// What every request and every answer passes, all in one layer, since each layer costs each call: the bound of a body
/// (SEC-2), the answers to errors (WIRE-23), browsers (WIRE-24), headers and compression (WIRE-20, WIRE-27).
struct CommonMiddleware: RouterMiddleware {
    let authentication: CallerAuthentication
    let errors: ErrorResponder
    let origins: CrossOrigin
    let growth: DiskSpaceGuard

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
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
            // A body that nobody expects would be taken for the answer to the connection's next request.
            if request.method == .head { response = response.createHeadResponse() }
        }
        echoClientState(of: request, in: &response)
        // The files of the console's pages say themselves how long they are kept.
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        response.headers[.xContentTypeOptions] = "nosniff"
        await origins.open(&response, to: request)
        try await response.compress(for: request)
        return response
    }

    /// Refuses a body that announces itself as too large, before anything of it is read (WIRE-23). One that does not
    /// announce its length is bounded where it is read.
    private func checkAnnouncedLength(of request: Request) throws(APIError) {
        guard let text = request.headers[.contentLength] else { return }
        // The parser has found digits; more of them than a number has are too many bytes as well.
        let digits = text.prefix { $0 != " " && $0 != "\t" }
        guard let length = Int(digits), length <= WireLimits.maximumBodyBytes else { throw .bodyTooLarge }
    }

    /// A client that sends its body when it is told to is told as soon as the body is wanted, and not before all else
    /// was looked at (SEC-12).
    private func awaitingItsBody(_ request: Request, _ context: APIRequestContext) throws(APIError) -> Request {
        guard let expectation = request.headers[.expect] else { return request }
        guard expectation.lowercased() == "100-continue" else { throw .unknownExpectation }
        var request = request
        request.body = RequestBody(asyncSequence: AwaitedBody(body: request.body, channel: context.peer.channel))
        return request
    }

    /// Every answer of the device API carries `X-Client-State` (WIRE-20): a refusal gives back the one that came, if
    /// it is one of ours; a forged one is not repeated.
    private func echoClientState(of request: Request, in response: inout Response) {
        guard !response.headers.contains(.clientState), let shown = request.headers[.clientState],
            let state = authentication.knownState(shown, client: request.headers[.clientID])
        else { return }
        response.headers[.clientState] = state
    }
}

/// The body of a request whose client sends it when it is told to (`Expect: 100-continue`, RFC 9110 §10.1.1). Who begins
/// to read it has looked at all else, and lets the client be told; whoever refuses the request never begins.
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
