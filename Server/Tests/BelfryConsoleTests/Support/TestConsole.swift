import BelfryAPI
import BelfryPush
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization

@testable import BelfryConsole

/// The console over real services and a real database, with a clock that stands still, and a browser that keeps cookies.
struct TestConsole: Sendable {
    static let origin = "http://belfry.test"

    let services: APIServices
    let clock: ManualClock
    let invitation: SignInInvitation
    let database: any SQLDatabase
    /// Plans and sends what is launched; the push service takes everything.
    let dispatcher: CampaignDispatcher
    /// By which people sign in; nil when by password alone.
    let provider: TestSignInProvider?
    private let client: any TestClientProtocol

    /// Where it listens; nil when it does not.
    let port: Int?

    /// - Parameters:
    ///   - rates: how many calls are granted; nil: all.
    ///   - disk: may be full.
    ///   - network: the address that calls count for; nil: none.
    ///   - isListening: whether calls may come by sockets, too.
    ///   - wait: for whatever waits; without it nothing may.
    static func run<Value: Sendable>(
        publicURL: String? = nil, hasProvider: Bool = false, rates: RequestRates? = nil,
        disk: FillingDisk = FillingDisk(),
        network: IPAddress? = nil, isListening: Bool = false,
        wait: @escaping @Sendable () async throws -> Void = { throw CancellationError() },
        _ test: @escaping @Sendable (TestConsole) async throws -> Value
    ) async throws -> Value {
        let store = try TestStore(.ofThisRun)
        defer { withExtendedLifetime(store) {} }
        let database = DatabaseOnDisk(database: store.database, disk: disk)
        let clock = ManualClock()
        let environment = environment(clock, wait: wait)
        let logger = Logger(label: "belfry.test") { _ in SwiftLogNoOpLogHandler() }
        let metrics = Metrics()
        let limits = RequestLimits(rates: rates, proxies: .none, now: environment.now, metrics: metrics)
        let storage = StorageWatch(
            database: database, disk: nil, floor: .off, environment: environment, metrics: metrics, logger: logger
        )
        let keys = ServerKeys(secret: Array("a secret of a test console, long enough".utf8))
        let accounts = PushAccounts(
            vault: CredentialVault(keys: keys), exchange: NoTokenExchange(), environment: environment
        )
        let dispatcher = CampaignDispatcher(
            owner: "console",
            pipeline: PushPipeline(
                database: database, environment: environment,
                attempts: WorkAttempts(
                    owner: "console", database: database, environment: environment, metrics: metrics,
                    logger: logger
                ),
                accounts: accounts, transport: NoTransport(), keys: keys, metrics: metrics, logger: logger
            ),
            work: AsyncSignal()
        )
        let provider = hasProvider ? TestSignInProvider(now: environment.now) : nil
        let services = APIServices(
            database: database, keys: keys, rootKey: rootKey,
            endpointPolicy: .publicOnly, accounts: accounts, transport: NoTransport(), signals: ServiceSignals(),
            metrics: metrics, limits: limits, storage: storage,
            environment: environment, publicServer: PublicServer(address: publicURL, version: "1.2.3"),
            provider: try provider.map {
                ProviderSignIn.Connection(provider: try $0.settings(), transport: $0, logger: logger)
            }
        )
        let invitation = SignInInvitation(environment: environment)
        let console = try WebConsole(
            services: services,
            settings: ConsoleSettings(publicURL: publicURL, servesTLS: false, version: "test", invitation: invitation),
            logger: logger
        )
        let router = Router(context: APIRequestContext.self)
        console.add(to: router) { _, _ in
            network
        } onDeparture: { context, departed in
            context.onDeparture(departed)
        }
        let application = Application(router: router, logger: logger)
        let run: @Sendable (Int?) async throws -> Value = { port in
            // A browser's calls need no socket: those of the library bound the time that an answer may take.
            try await application.test(.router) { client in
                try await test(
                    TestConsole(
                        services: services, clock: clock, invitation: invitation, database: database,
                        dispatcher: dispatcher, provider: provider, client: client, port: port
                    )
                )
            }
        }
        guard isListening else { return try await run(nil) }
        return try await application.test(.live) { try await run($0.port) }
    }

    private static func environment(
        _ clock: ManualClock, wait: @escaping @Sendable () async throws -> Void
    ) -> ServerEnvironment {
        let dice = Mutex(SeededGenerator(seed: 1))
        return ServerEnvironment(
            now: { clock.now },
            randomBytes: { count in
                dice.withLock { dice in (0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) } }
            },
            jitter: { 0.5 },
            uuid: {
                UUID(
                    uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(dice.withLock { $0.next() % 256 })))
            },
            sleepUntil: { _ in try await wait() }
        )
    }

    /// A browser without a session.
    func browser() -> Browser {
        Browser(client: client)
    }

    /// A browser of a person who has just been made and signed in.
    func signedIn(
        as name: String, isOperator: Bool = false, roles: [Int64: UserRole] = [:]
    ) async throws -> Browser {
        try await services.users.create(
            name: name, displayName: name, password: Self.password, isOperator: isOperator, roles: roles
        )
        let browser = browser()
        try await browser.signIn(name)
        return browser
    }

    /// The same without a password: to hash one takes seconds in a build for tests.
    func visitor(
        as name: String, isOperator: Bool = false, roles: [Int64: UserRole] = [:]
    ) async throws -> Browser {
        let user = try await services.users.create(
            name: name, displayName: name, password: nil, isOperator: isOperator, roles: roles
        )
        let browser = browser()
        browser.keep("belfry-session", try await services.signIn.begin(for: user.id, agent: "test").token)
        return browser
    }

    static let rootKey = "root-key-of-a-test-console-0123456789"
    static let password = "correct horse battery staple"
}

/// What a browser keeps between two calls: its cookies.
final class Browser: Sendable {
    private let client: any TestClientProtocol
    private let cookies = Mutex<[String: String]>([:])

    init(client: any TestClientProtocol) {
        self.client = client
    }

    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let text: String

        /// The value of the hidden field by which forms prove that they are of this session.
        var formToken: String? {
            guard let start = text.range(of: "name=\"form-token\" content=\"") else { return nil }
            return String(text[start.upperBound...].prefix { $0 != "\"" })
        }
    }

    /// Takes a cookie as a response would set it.
    func keep(_ name: String, _ value: String) {
        cookies.withLock { $0[name] = value }
    }

    var cookieNames: [String] { cookies.withLock { $0.keys.sorted() } }

    /// As it sends them; nil for none.
    var cookieHeader: String? {
        let kept = cookies.withLock { $0 }
        return kept.isEmpty
            ? nil : kept.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    /// A copy with the same cookies: the cookie as a thief has it.
    func copy() -> Browser {
        let copy = Browser(client: client)
        let kept = cookies.withLock { $0 }
        copy.cookies.withLock { $0 = kept }
        return copy
    }

    /// - Parameter isFragment: whether a script asks for a part of the page.
    func get(_ path: String, isFragment: Bool = false) async throws -> Answer {
        try await call(.get, path, form: nil, headers: isFragment ? ["X-Belfry-Fragment": "1"] : [:])
    }

    /// Sends a form as a page of the console does.
    func post(
        _ path: String, _ form: [String: String], headers: [String: String] = ["Sec-Fetch-Site": "same-origin"]
    ) async throws -> Answer {
        try await call(.post, path, form: form, headers: headers)
    }

    /// Loads a page, and sends a form with the token that stands there.
    func submit(_ path: String, _ form: [String: String] = [:], from page: String = "/console/account") async throws
        -> Answer
    {
        var form = form
        form["formToken"] = try await get(page).formToken ?? ""
        return try await post(path, form)
    }

    /// Sends a form in which fields come several times, with the token that stands on a page.
    func send(
        _ path: String, _ form: [String: [String]], from page: String = "/console/account"
    ) async throws -> Answer {
        var form = form
        form["formToken"] = [try await get(page).formToken ?? ""]
        let pairs = form.flatMap { name, values in values.map { (name, $0) } }
        return try await call(.post, path, pairs: pairs, headers: ["Sec-Fetch-Site": "same-origin"])
    }

    /// Sends fields as they are, in their order.
    func post(_ path: String, pairs: [(String, String)]) async throws -> Answer {
        try await call(.post, path, pairs: pairs, headers: ["Sec-Fetch-Site": "same-origin"])
    }

    func signIn(_ name: String, password: String = TestConsole.password) async throws {
        _ = try await post("/console/sign-in", ["name": name, "password": password, "next": "/console"])
    }

    private func call(
        _ method: HTTPRequest.Method, _ path: String, form: [String: String]?, headers: [String: String]
    ) async throws -> Answer {
        try await call(method, path, pairs: form?.map { ($0.key, $0.value) }, headers: headers)
    }

    private func call(
        _ method: HTTPRequest.Method, _ path: String, pairs: [(String, String)]?, headers: [String: String]
    ) async throws -> Answer {
        var fields = HTTPFields()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields[name] = value
        }
        fields[.cookie] = cookieHeader
        var body: ByteBuffer?
        if let pairs {
            fields[.contentType] = "application/x-www-form-urlencoded"
            body = ByteBuffer(
                string: pairs.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
            )
        }
        return try await client.execute(uri: path, method: method, headers: fields, body: body) { response in
            for cookie in response.headers[values: .setCookie] {
                let pair = cookie.split(separator: ";")[0].split(separator: "=", maxSplits: 1)
                let value = pair.count > 1 ? String(pair[1]) : ""
                self.cookies.withLock { $0[String(pair[0])] = value.isEmpty ? nil : value }
            }
            return Answer(
                status: response.status, headers: response.headers, text: String(buffer: response.body)
            )
        }
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }
}

/// A push service that takes everything.
private struct NoTransport: PushTransport {
    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        for index in requests.indices { onResponse(index, .answered(PushResponse(status: 200))) }
    }
}

/// An authorization server that nobody reaches.
private struct NoTokenExchange: AccessTokenExchange {
    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8]) {
        throw AccessTokenExchangeError.noConnection
    }
}
