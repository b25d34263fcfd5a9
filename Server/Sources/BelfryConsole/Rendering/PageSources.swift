/// The templates as they were compiled in; `PackageResources` is generated from the folder `Pages`.
enum PageSources {
    static let all: [String: String] = [
        "layout": text(PackageResources.layout_mustache),
        "layout-outside": text(PackageResources.layout_outside_mustache),
        "icons": text(PackageResources.icons_mustache),
        "sign-in": text(PackageResources.sign_in_mustache),
        "welcome": text(PackageResources.welcome_mustache),
        "error": text(PackageResources.error_mustache),
        "account": text(PackageResources.account_mustache),
        "apps": text(PackageResources.apps_mustache),
        "home": text(PackageResources.home_mustache),
        "design": text(PackageResources.design_mustache),
        "bars": text(PackageResources.bars_mustache),
        "columns": text(PackageResources.columns_mustache),
        "phone": text(PackageResources.phone_mustache),
        "campaigns": text(PackageResources.campaigns_mustache),
        "campaign": text(PackageResources.campaign_mustache),
        "campaign-state": text(PackageResources.campaign_state_mustache),
        "campaign-figures": text(PackageResources.campaign_figures_mustache),
        "campaign-reach": text(PackageResources.campaign_reach_mustache),
        "compose": text(PackageResources.compose_mustache),
        "compose-preview": text(PackageResources.compose_preview_mustache),
    ]

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

/// The files of the folder `Assets`.
enum AssetSources {
    static let all: [String: [UInt8]] = [
        "console.css": PackageResources.console_css,
        "console.js": PackageResources.console_js,
        "belfry.svg": PackageResources.belfry_svg,
    ]
}
