import BelfryServices
import HTTPTypes
import Hummingbird

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
