import BelfryModel
import BelfryServices
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The console: HTML pages for marketers, approvers, support agents and operators (CON-1), which the server makes from
/// the services' results.
package struct WebConsole: Sendable {
    let services: APIServices
    let settings: ConsoleSettings
    let renderer: PageRenderer
    private let assets: Assets
    private let logger: Logger
    private let livePlaces: LivePlaces

    /// - Parameter logger: logs errors of pages that are not the caller's fault.
    package init(services: APIServices, settings: ConsoleSettings, logger: Logger) throws {
        self.services = services
        self.settings = settings
        self.logger = logger
        livePlaces = LivePlaces(metrics: services.metrics)
        assets = Assets()
        renderer = PageRenderer(templates: try PageTemplates(PageSources.all), assets: assets, settings: settings)
    }

    /// The routes of all pages and forms.
    static let routes: [ConsoleRoute] = [
        SignInPages.routes, AccountPages.routes, HomePages.routes, DesignPages.routes, CampaignPages.routes,
        CampaignPeoplePages.routes, CalendarPages.routes, SearchPages.routes,
        ComposePages.routes, MessagePages.routes, MessageCenterPages.routes, RehearsalPages.routes, ReviewPages.routes,
        PeoplePages.routes, EventPages.routes, SettingsPages.routes, OperationsPages.routes,
    ].flatMap(\.self)

    /// Adds all routes below `/console`.
    ///
    /// - Parameters:
    ///   - network: the address for which a call is counted; nil when it is not counted.
    ///   - onDeparture: calls a function when the browser of a call disconnects; what it returns ends that watch.
    package func add<Context: RequestContext>(
        to router: Router<Context>, network: @escaping @Sendable (Request, Context) -> IPAddress?,
        onDeparture: @escaping @Sendable (Context, @escaping @Sendable () -> Void) -> @Sendable () -> Void
    ) {
        for route in Self.routes {
            router.on(RouterPath(Self.pattern(route.path)), method: route.method) { request, context in
                let departure = Departure()
                // The watch begins at once: the browser may disconnect before there is anything to send.
                if route.isLive { departure.watched(by: onDeparture(context) { departure.happen() }) }
                return await respond(
                    to: request, at: route, parts: Self.parts(context), network: network(request, context),
                    until: departure
                )
            }
        }
        for route in Self.strays {
            router.on(RouterPath(Self.pattern(route.path)), method: route.method) { request, context in
                await respond(
                    to: request, at: route, parts: Self.parts(context), network: network(request, context),
                    until: Departure()
                )
            }
        }
        router.on("/console/assets/{version}/{name}", method: .get) { _, context in
            assets.response(name: context.parameters.get("name") ?? "")
        }
        for route in [Self.unknown, Self.unknownForm("/**")] {
            router.on("/console/**", method: route.method) { request, context in
                await respond(
                    to: request, at: route, parts: [:], network: network(request, context), until: Departure()
                )
            }
        }
    }

    /// The route for an unknown address; people without a session are asked to sign in first.
    private static let unknown = ConsoleRoute.get("/**", .signedIn) { call in
        throw ServiceError.notFound(what: "page", id: String(call.address.prefix(200)))
    }

    /// The route for a form to an unknown address. It is open to anyone, because it changes nothing.
    private static func unknownForm(_ path: String) -> ConsoleRoute {
        .post(path, .anyone, audit: nil) { call in
            throw ServiceError.notFound(what: "form", id: String(call.address.prefix(200)))
        }
    }

    /// Routes for known paths with the wrong method. A GET on a form's path, such as by the browser's back button,
    /// redirects to the page of the form. A POST on a page's path is not found.
    private static let strays: [ConsoleRoute] = {
        let pages = routes.filter { $0.method == .get }
        let forms = routes.filter { $0.method == .post }
        let toPages = forms.filter { form in !pages.contains { PageAddress.isSame($0, form) } }.map { form in
            ConsoleRoute.get(form.path, .anyone) { call in .redirect(PageAddress.of(call.address, at: form)) }
        }
        return toPages
            + pages.filter { page in !forms.contains { PageAddress.isSame($0, page) } }.map { unknownForm($0.path) }
    }()

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
        to request: Request, at route: ConsoleRoute, parts: [String: String], network: IPAddress?,
        until departure: Departure
    ) async -> Response {
        var session = CallSession(request, settings: settings)
        do {
            let call = try await admit(request, at: route, parts: parts, network: network, session: &session)
            if route.isLive { departure.holds(try livePlaces.take(call.signedIn().id)) }
            let response = try await audited(route, call)
            return try renderer.response(
                response, to: call, page: PageAddress.of(call.address, at: route), session: session, until: departure
            )
        } catch {
            departure.endWatch()
            return failed(error, request, route, session)
        }
    }

    /// Does the work of a route, and writes a change into the audit log.
    private func audited(_ route: ConsoleRoute, _ call: ConsoleCall) async throws -> ConsoleResponse {
        let work: @Sendable () async throws -> ConsoleResponse = {
            do {
                return try await route.work(call)
            } catch {
                guard route.keepsForm, let kept = KeptForm(call.form, .failed(error)) else { throw error }
                throw kept
            }
        }
        guard let action = route.audit else { return try await work() }
        let (app, target) = (call.app?.code, call.parts["id"])
        return try await services.access.auditing(
            action, by: call.principal(), app: app, target: target, work
        ) { response in
            response.isDone ? .done(app: app, target: target) : .rejected
        }
    }

    /// Identifies the caller and checks that the call is allowed.
    private func admit(
        _ request: Request, at route: ConsoleRoute, parts: [String: String], network: IPAddress?,
        session: inout CallSession
    ) async throws -> ConsoleCall {
        guard settings.admits(host: request.head.authority) else { throw ConsoleError.foreignHost }
        var limitError: (any Error)?
        do {
            try await identify(request, &session)
        } catch {
            // If the route keeps its form, the form is read before the call is refused: the error page contains it.
            guard route.keepsForm, readsForm(of: session.user, after: error) else { throw error }
            limitError = error
        }
        let sent = RequestForm(request, settings: settings)
        // A caller without a session is limited by address, before a byte of the form is read.
        if request.method == .post, session.user == nil {
            try services.limits.admitForm(bytes: sent.announcedBytes, from: network)
        }
        let form = try await sent.fields()
        do {
            if let limitError { throw limitError }
            if route.method == .post, route.access != .anyone {
                try Self.requirePage(of: session.user, form, keepsForm: route.keepsForm)
            }
            session.app = try await app(of: route, parts: parts, user: session.user)
        } catch {
            guard route.keepsForm else { throw error }
            throw Self.kept(form, error, of: session.user) ?? error
        }
        return ConsoleCall(
            services: services, settings: settings, user: session.user, app: session.app, parts: parts,
            query: FormFields((request.uri.query ?? "").utf8) ?? FormFields(), form: form,
            address: request.uri.description, host: request.head.authority, network: network,
            agent: request.headers[.userAgent] ?? "",
            wantsFragment: request.headers[.fragment] != nil, sessionToken: session.token, attempt: session.attempt
        )
    }

    /// Reads the session, and checks the person's rate limit.
    private func identify(_ request: Request, _ session: inout CallSession) async throws {
        if let token = session.token { session.user = try await services.signIn.user(token: token) }
        if let user = session.user { try services.limits.admit(user.principal(in: nil)) }
        // A change must not be made if the audit log cannot be written.
        if request.method == .post { try services.access.log.rejectIfFull() }
    }

    /// Whether to read the form of a refused call. A person above the rate limit has only a few forms read: a form
    /// costs more than a call (SEC-2).
    private func readsForm(of user: SignedInUser?, after limitError: any Error) -> Bool {
        guard case ServiceError.tooManyCalls(limit: _, message: _, retryAfter: _) = limitError, let user else {
            return true
        }
        return services.limits.readsRejectedForm(of: user.principal(in: nil))
    }

    /// The form of a refused call, if it is the caller's own. A `KeptForm` or `ConsoleError` has decided about the form
    /// already, so it gives nil.
    private static func kept(_ form: FormFields, _ error: any Error, of user: SignedInUser?) -> KeptForm? {
        if error is KeptForm || error is ConsoleError { return nil }
        if let user, FormToken.user(of: form["formToken"]) != user.id { return nil }
        return KeptForm(form, .failed(error))
    }

    /// Throws unless a page of the present session made the form. A form from a former session of the same person is
    /// refused too, but kept: the person sends it again by pressing a button.
    private static func requirePage(of user: SignedInUser?, _ form: FormFields, keepsForm: Bool) throws {
        guard let user else {
            if keepsForm, let kept = KeptForm(form, .signInFirst) { throw kept }
            throw ConsoleError.signInFirst
        }
        if constantTimeEqual(Array(form["formToken"].utf8), Array(user.formToken.utf8)) { return }
        if keepsForm, FormToken.user(of: form["formToken"]) == user.id, let kept = KeptForm(form, .newSession) {
            throw kept
        }
        throw ConsoleError.foreignForm
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
            let cause: any Error = if case .failed(let inner)? = (error as? KeptForm)?.reason { inner } else { error }
            logger.error(
                "a page of the console failed",
                metadata: ["error": "\(LoggedError(cause))", "route": "\(Self.pattern(route.path))"]
            )
        }
        if case ConsoleError.signInFirst = error, request.method == .get {
            return renderer.redirect(to: SignInPages.address(returningTo: request.uri.description))
        }
        if let form = error as? KeptForm {
            return renderer.kept(form, page, address: request.uri.description, session: session)
        }
        return renderer.error(
            page, address: PageAddress.of(request.uri.description, at: route), session: session
        )
    }
}

extension HTTPField.Name {
    /// The header by which the console's scripts ask for only a part of a page.
    // A constant token of letters and hyphens is a field name.
    static let fragment = HTTPField.Name("X-Belfry-Fragment")!
}

/// All pages of an app's settings (CON-10). Only admins of the app see them.
enum SettingsPages {
    static let routes: [ConsoleRoute] = [
        SetupPages.routes, SettingsFormPages.routes, CredentialPages.routes, AttributePages.routes, CenterPages.routes,
        KeyPages.routes, RolePages.routes,
    ].flatMap(\.self)
}

/// All pages for operators of the server (CON-10).
enum OperationsPages {
    static let routes: [ConsoleRoute] = [
        ServerPages.routes, QuarantinePages.routes, AuditPages.routes, AccountsPages.routes,
    ].flatMap(\.self)
}
