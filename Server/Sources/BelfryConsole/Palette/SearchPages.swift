import BelfryModel
import BelfryServices

/// One search over pages, campaigns, contacts and devices (CON-2), as a page and as the results of the command palette.
enum SearchPages {
    /// The number of results of each kind, on the page and in the palette.
    static let maximum = 20
    static let maximumInPalette = 5

    static let routes: [ConsoleRoute] = [.get("/apps/{app}/search", .app(.view), search)]

    private static func search(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let text = String(decoding: call.query["q"].utf8.prefix(SearchService.maximumLength), as: UTF8.self)
        let limit = call.wantsFragment ? maximumInPalette : maximum
        let results = try await call.services.search.find(text, app: app, limit: limit)
        let user = try call.signedIn()
        let places = ConsolePlace.all(
            base: call.link(""), role: user.role(in: app), isOperator: user.isOperator
        ).filter { $0.isNamed(text) }
        let model = SearchModel(text, results, places: Array(places.prefix(limit)), base: call.link(""))
        if call.wantsFragment { return .fragment(template: "search-options", model: model) }
        return .page(Page("Search", template: "search", model: model))
    }
}

/// The results of a search.
struct SearchModel: Sendable {
    struct Hit: Sendable {
        /// The id of the result's element in the palette's list.
        let hitID: String
        let hitTitle: String
        let hitKind: String
        let hitAddress: String
    }

    let searchAddress: String
    let wanted: String
    let hits: [Hit]
    let foundSentence: String

    /// - Parameters:
    ///   - places: the pages whose title contains the text.
    ///   - base: the address of the app.
    init(_ text: String, _ results: SearchResults, places: [ConsolePlace], base: String) {
        searchAddress = "\(base)/search"
        wanted = text
        var found = places.map { (title: $0.title, kind: "Page", address: $0.address) }
        found += results.campaigns.map {
            (
                title: $0.name, kind: "Campaign, \(StatusChip($0.status).word.lowercased())",
                address: "\(base)/campaigns/\($0.id)"
            )
        }
        found += results.contacts.map {
            (title: $0.key, kind: "Contact", address: PersonAddress.of(contact: $0.id, base: base))
        }
        found += results.devices.map { listed in
            (
                title: listed.device.client.rawValue,
                kind: listed.contactKey.map { "Device of \($0.isolated)" } ?? "Device",
                address: PersonAddress.of(
                    device: listed.device.client.rawValue, contact: listed.device.contact, base: base)
            )
        }
        hits = found.enumerated().map { index, hit in
            Hit(hitID: "palette-\(index)", hitTitle: hit.title, hitKind: hit.kind, hitAddress: hit.address)
        }
        foundSentence =
            text.isEmpty
            ? "Type a part of a campaign's name, the beginning of a contact key, a device id or a push token."
            : hits.isEmpty
                ? "Nothing was found. Contacts are found by the beginning of their key, devices by their whole id."
                : "\(Figures.count(hits.count, "entry", "entries")) found."
    }
}

/// The addresses of people's pages.
enum PersonAddress {
    static func of(contact: Int64, base: String) -> String { "\(base)/people/\(contact)" }

    /// The page of a device's contact; for a device without a contact, the search for the device.
    static func of(device: String, contact: Int64?, base: String) -> String {
        guard let contact else { return "\(base)/people?q=\(encoded(device))" }
        return of(contact: contact, base: base)
    }

    /// A key or an id, encoded as a part of an address.
    static func encoded(_ text: String) -> String { WireURL.encoded(text) }
}

/// A page that the search can find by its title.
struct ConsolePlace: Sendable {
    let title: String
    let address: String

    /// The pages that a person can see.
    ///
    /// - Parameters:
    ///   - base: the address of the app.
    ///   - role: the person's role in the app.
    static func all(base: String, role: UserRole?, isOperator: Bool) -> [ConsolePlace] {
        var places = NavigationSection.allCases.filter { $0.isShown(to: role, isOperator: isOperator) }.map { section in
            ConsolePlace(title: section.title, address: section.isOfServer ? section.path : base + section.path)
        }
        if role?.allows(.compose) == true {
            places.append(ConsolePlace(title: "Compose a push", address: "\(base)/campaigns/new"))
        }
        places.append(ConsolePlace(title: "Your account", address: "/console/account"))
        places.append(ConsolePlace(title: "Choose an app", address: "/console"))
        return places
    }

    /// Whether the title contains a text, ignoring case. An empty text is in every title.
    func isNamed(_ text: String) -> Bool {
        let wanted = Array(text.lowercased().utf8)
        let bytes = Array(title.lowercased().utf8)
        guard wanted.count <= bytes.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
