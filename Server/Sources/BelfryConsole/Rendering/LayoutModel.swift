import BelfryServices

/// The layout around every page: navigation, the signed-in person, a notice.
struct LayoutModel: Sendable {
    struct Entry: Sendable {
        let title: String
        let address: String
        let icon: String
        let isCurrent: Bool
        let key: String
    }

    let title: String
    /// The page's HTML, rendered by its own template.
    let content: String
    let scheme: String
    let schemes: [SchemeChoice]
    let styleSheet: String
    let script: String
    let icon: String
    let entries: [Entry]
    let appName: String?
    let appCode: String?
    let homeAddress: String
    let searchAddress: String?
    let userName: String
    let initials: String
    let formToken: String
    let notice: NoticeModel?
    /// The page to which a change of the colour scheme returns; it can be shown by GET.
    let returnAddress: String

    struct SchemeChoice: Sendable {
        let value: String
        let name: String
        let isChosen: Bool
    }

    struct NoticeModel: Sendable {
        let kind: String
        let text: String
    }

    init(_ page: Page, content: String, session: CallSession, assets: Assets, address: String) {
        title = page.title.isolated
        self.content = content
        scheme = session.scheme.rawValue
        schemes = ColorScheme.allCases.map { scheme in
            SchemeChoice(value: scheme.rawValue, name: scheme.name, isChosen: scheme == session.scheme)
        }
        styleSheet = assets.address(of: "console.css")
        script = assets.address(of: "console.js")
        icon = assets.address(of: "belfry.svg")
        let base = session.app.map { "/console/apps/\($0.code.rawValue)" }
        entries = Self.entries(of: page, base: base, session: session)
        appName = session.app?.name
        appCode = session.app?.code.rawValue
        homeAddress = base ?? "/console"
        searchAddress = base.map { "\($0)/search" }
        userName = session.user?.displayName ?? ""
        initials = Self.initials(of: session.user?.displayName ?? "")
        formToken = session.user?.formToken ?? ""
        notice = session.notice.map { NoticeModel(kind: $0.kind.rawValue, text: $0.text) }
        returnAddress = address
    }

    private static func entries(of page: Page, base: String?, session: CallSession) -> [Entry] {
        let role = session.app.flatMap { session.user?.role(in: $0) }
        let isOperator = session.user?.isOperator ?? false
        return NavigationSection.allCases.compactMap { section in
            guard section.isShown(to: role, isOperator: isOperator),
                let address = section.isOfServer ? section.path : base.map({ $0 + section.path })
            else { return nil }
            return Entry(
                title: section.title, address: address, icon: section.rawValue, isCurrent: section == page.section,
                key: section.key
            )
        }
    }

    /// The initials of the first two words of a name.
    static func initials(of name: String) -> String {
        name.split(separator: " ").prefix(2).compactMap { $0.first.map(String.init) }.joined().uppercased()
    }
}
