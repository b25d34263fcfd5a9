import BelfryModel
import BelfryServices
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The console: pages for marketers, approvers, support and operators (CON-1), made by the server from what the services
/// return.
package struct WebConsole: Sendable {
    let services: APIServices
    let settings: ConsoleSettings
    let renderer: PageRenderer
    private let assets: Assets
    private let logger: Logger

    /// - Parameter logger: receives the errors of pages that failed through no fault of the caller.
    package init(services: APIServices, settings: ConsoleSettings, logger: Logger) throws {
        self.services = services
        self.settings = settings
        self.logger = logger
        assets = Assets()
        renderer = PageRenderer(templates: try PageTemplates(PageSources.all), assets: assets, settings: settings)
    }

    /// Every page and form.
    static let routes: [ConsoleRoute] = [
        SignInPages.routes, AccountPages.routes, HomePages.routes, DesignPages.routes, CampaignPages.routes,
        CampaignPeoplePages.routes, CalendarPages.routes, SearchPages.routes,
        ComposePages.routes, MessagePages.routes, MessageCenterPages.routes, RehearsalPages.routes, ReviewPages.routes,
        PeoplePages.routes, SettingsPages.routes, OperationsPages.routes,
    ].flatMap(\.self)

    /// Adds all of it below `/console`.
    ///
    /// - Parameter network: the address that a call counts for; nil when it is not counted.
    package func add<Context: RequestContext>(
        to router: Router<Context>, network: @escaping @Sendable (Request, Context) -> IPAddress?
    ) {
        for route in Self.routes {
            router.on(RouterPath(Self.pattern(route.path)), method: route.method) { request, context in
                await respond(to: request, at: route, parts: Self.parts(context), network: network(request, context))
            }
        }
        router.on("/console/assets/{version}/{name}", method: .get) { _, context in
            assets.response(name: context.parameters.get("name") ?? "")
        }
        router.on("/console/**", method: .get) { request, context in
            await respond(to: request, at: Self.unknown, parts: [:], network: network(request, context))
        }
    }

    /// For an address that is none, the page says so to whoever is signed in.
    private static let unknown = ConsoleRoute.get("/**", .signedIn) { call in
        throw ServiceError.notFound(what: "page", id: String(call.address.prefix(200)))
    }

    private static func pattern(_ path: String) -> String {
        path.isEmpty ? "/console" : "/console" + path
    }

    private static func parts(_ context: some RequestContext) -> [String: String] {
        context.parameters.reduce(into: [:]) { parts, entry in
            guard let text = WireURL.decoded(String(entry.value)), !text.utf8.contains(0) else { return }
            parts[String(entry.key)] = text
        }
    }

    private func respond(
        to request: Request, at route: ConsoleRoute, parts: [String: String], network: IPAddress?
    ) async -> Response {
        var session = CallSession(request, settings: settings)
        do {
            // Before anything is done that could not be written down.
            if request.method == .post { try services.access.log.refuseIfFull() }
            let call = try await admit(request, at: route, parts: parts, network: network, session: &session)
            let response = try await route.work(call)
            if let action = route.audit, response.isDone {
                try await services.access.audit(
                    call.principal(), action: action, app: call.app?.code, target: call.parts["id"]
                )
            }
            return try renderer.response(response, to: call, session: session)
        } catch {
            return failed(error, request, route, session)
        }
    }

    /// Finds out who calls, and whether they may.
    private func admit(
        _ request: Request, at route: ConsoleRoute, parts: [String: String], network: IPAddress?,
        session: inout CallSession
    ) async throws -> ConsoleCall {
        if let token = session.token { session.user = try await services.signIn.user(token: token) }
        if let user = session.user { try services.limits.admit(user.principal(in: nil)) }
        let form = try await RequestForm(request, settings: settings).fields()
        if route.method == .post, route.access != .anyone {
            guard let user = session.user else { throw ConsoleError.signInFirst }
            guard constantTimeEqual(Array(form["formToken"].utf8), Array(user.formToken.utf8)) else {
                throw ConsoleError.foreignForm
            }
        }
        session.app = try await app(of: route, parts: parts, user: session.user)
        return ConsoleCall(
            services: services, settings: settings, user: session.user, app: session.app, parts: parts,
            query: FormFields((request.uri.query ?? "").utf8) ?? FormFields(), form: form,
            address: request.uri.description, network: network, agent: request.headers[.userAgent] ?? "",
            wantsFragment: request.headers[.fragment] != nil, sessionToken: session.token, attempt: session.attempt
        )
    }

    private func app(
        of route: ConsoleRoute, parts: [String: String], user: SignedInUser?
    ) async throws -> AppService.App? {
        switch route.access {
        case .anyone:
            return nil
        case .signedIn:
            guard user != nil else { throw ConsoleError.signInFirst }
            return nil
        case .operators:
            guard let user else { throw ConsoleError.signInFirst }
            try user.requireOperator()
            return nil
        case .app(let right):
            guard let user else { throw ConsoleError.signInFirst }
            let app = try await services.apps.find(parts["app"] ?? "")
            try user.require(right, in: app)
            return app
        }
    }

    private func failed(
        _ error: any Error, _ request: Request, _ route: ConsoleRoute, _ session: CallSession
    ) -> Response {
        let page = ErrorPage(error)
        if page.isFaultOfOurs {
            logger.error(
                "a page of the console failed",
                metadata: ["error": "\(LoggedError(error))", "route": "\(Self.pattern(route.path))"]
            )
        }
        if case ConsoleError.signInFirst = error, request.method == .get {
            return renderer.redirect(to: SignInPages.address(returningTo: request.uri.description))
        }
        return renderer.error(page, address: request.uri.description, session: session)
    }
}

/// Why a call of the console goes no further.
enum ConsoleError: Error {
    case signInFirst
    /// A form that this session's pages did not make: another site sends it, or the session has changed since.
    case foreignForm
    /// The body of a request is no form, or is too long.
    case unreadableForm
}

/// What a call shows of its caller.
struct CallSession: Sendable {
    /// The cookie.
    let token: String?
    /// The cookie of a sign-in by a provider that is under way.
    let attempt: String?
    /// A sentence that the call before left for this page.
    let notice: Notice?
    let scheme: ColorScheme
    var user: SignedInUser?
    var app: AppService.App?

    init(_ request: Request, settings: ConsoleSettings) {
        let cookies = Cookies(request.headers[values: .cookie])
        token = cookies[settings.cookieName]
        attempt = cookies[settings.attemptCookieName]
        notice = token.flatMap { token in cookies[NoticeCookie.name].flatMap { NoticeCookie.read($0, session: token) } }
        scheme = cookies[ColorScheme.cookie].flatMap(ColorScheme.init) ?? .system
    }
}

/// Which of the two colour schemes a person has chosen.
enum ColorScheme: String, CaseIterable, Sendable {
    case system
    case light
    case dark

    static let cookie = "belfry-scheme"

    var name: String {
        switch self {
        case .system: "As the system"
        case .light: "Light"
        case .dark: "Dark"
        }
    }
}

extension HTTPField.Name {
    /// Sent by the console's scripts, which want a part of a page.
    // A constant token of letters and hyphens is a field name.
    static let fragment = HTTPField.Name("X-Belfry-Fragment")!
}
