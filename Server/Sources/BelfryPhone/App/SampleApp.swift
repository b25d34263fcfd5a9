import Belfry

/// What the person sees of the sample app, a shop. It ends with the app's process.
struct SampleApp: Sendable {
    enum Tab: String, Sendable, Codable, CaseIterable {
        case home, products, basket, inbox, profile
    }

    struct Product: Sendable, Encodable {
        let sku: String
        let name: String
        let price: Double
    }

    /// A message of the message center that is open. No list need have it: a push may have opened it (MC-15).
    struct OpenMessage: Sendable {
        let message: MessageCenterMessage
        /// Its page, if it has one and it is there.
        var html: String?
        var isLoading: Bool
    }

    /// The view id of inline messages on the home screen.
    static let inlineView = "home"
    /// Pieces in the basket; then the oldest leave it.
    static let largestBasket = 20

    static let products = [
        Product(sku: "runner", name: "Trail runner", price: 89),
        Product(sku: "shell", name: "Rain shell", price: 120),
        Product(sku: "bottle", name: "Steel bottle", price: 18),
        Product(sku: "lamp", name: "Head lamp", price: 35),
    ]

    /// The two people who may log in.
    static let people = ["ann", "ben"]

    var tab = Tab.home
    var product: String?
    var basket: [String] = []
    var message: OpenMessage?
    /// The address that an action has opened.
    var link: String?
    /// The page of the home screen's inline message, by its number.
    var inline: Int?

    /// Whether the home screen is what one sees of it, and not a message or an address that was opened.
    var showsHome: Bool { tab == .home && message == nil && link == nil }

    static func product(_ sku: String) -> Product? {
        products.first { $0.sku == sku }
    }
}
