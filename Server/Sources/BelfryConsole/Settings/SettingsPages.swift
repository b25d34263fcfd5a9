/// All pages of an app's settings (CON-10). They are for its admins, so nobody else sees what they say.
enum SettingsPages {
    static let routes: [ConsoleRoute] = [
        SetupPages.routes, SettingsFormPages.routes, CredentialPages.routes, AttributePages.routes, CenterPages.routes,
        KeyPages.routes, RolePages.routes,
    ].flatMap(\.self)
}
