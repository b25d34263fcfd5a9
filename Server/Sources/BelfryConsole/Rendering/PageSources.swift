/// The templates, compiled into the program. `PackageResources` is generated from the folder `Pages`.
enum PageSources {
    static let all: [String: String] = [
        "layout": text(PackageResources.layout_mustache),
        "layout-outside": text(PackageResources.layout_outside_mustache),
        "icons": text(PackageResources.icons_mustache),
        "sign-in": text(PackageResources.sign_in_mustache),
        "welcome": text(PackageResources.welcome_mustache),
        "kept-form": text(PackageResources.kept_form_mustache),
        "signed-in": text(PackageResources.signed_in_mustache),
        "error": text(PackageResources.error_mustache),
        "account": text(PackageResources.account_mustache),
        "apps": text(PackageResources.apps_mustache),
        "home": text(PackageResources.home_mustache),
        "design": text(PackageResources.design_mustache),
        "bars": text(PackageResources.bars_mustache),
        "columns": text(PackageResources.columns_mustache),
        "line": text(PackageResources.line_mustache),
        "search": text(PackageResources.search_mustache),
        "search-options": text(PackageResources.search_options_mustache),
        "calendar": text(PackageResources.calendar_mustache),
        "calendar-pressure": text(PackageResources.calendar_pressure_mustache),
        "campaign-people": text(PackageResources.campaign_people_mustache),
        "campaign-hours": text(PackageResources.campaign_hours_mustache),
        "people": text(PackageResources.people_mustache),
        "person": text(PackageResources.person_mustache),
        "person-why": text(PackageResources.person_why_mustache),
        "person-erase": text(PackageResources.person_erase_mustache),
        "events": text(PackageResources.events_mustache),
        "why-form": text(PackageResources.why_form_mustache),
        "phone": text(PackageResources.phone_mustache),
        "campaigns": text(PackageResources.campaigns_mustache),
        "campaign": text(PackageResources.campaign_mustache),
        "campaign-state": text(PackageResources.campaign_state_mustache),
        "campaign-figures": text(PackageResources.campaign_figures_mustache),
        "campaign-rehearsed": text(PackageResources.campaign_rehearsed_mustache),
        "campaign-reach": text(PackageResources.campaign_reach_mustache),
        "campaign-review": text(PackageResources.campaign_review_mustache),
        "comment-lines": text(PackageResources.comment_lines_mustache),
        "comments": text(PackageResources.comments_mustache),
        "versions": text(PackageResources.versions_mustache),
        "version": text(PackageResources.version_mustache),
        "rehearsal": text(PackageResources.rehearsal_mustache),
        "rehearsal-state": text(PackageResources.rehearsal_state_mustache),
        "rehearsal-start": text(PackageResources.rehearsal_start_mustache),
        "rehearsal-figures": text(PackageResources.rehearsal_figures_mustache),
        "rehearsal-list": text(PackageResources.rehearsal_list_mustache),
        "rehearsed-people": text(PackageResources.rehearsed_people_mustache),
        "compose": text(PackageResources.compose_mustache),
        "compose-preview": text(PackageResources.compose_preview_mustache),
        "compose-block": text(PackageResources.compose_block_mustache),
        "compose-section": text(PackageResources.compose_section_mustache),
        "phone-page": text(PackageResources.phone_page_mustache),
        "centers": text(PackageResources.centers_mustache),
        "center": text(PackageResources.center_mustache),
        "placed": text(PackageResources.placed_mustache),
        "inbox": text(PackageResources.inbox_mustache),
    ].merging(SettingsSources.all) { first, _ in first }

    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

/// The templates of the settings and of the operators' pages.
private enum SettingsSources {
    static let all: [String: String] = [
        "tabs": PackageResources.tabs_mustache,
        "field": PackageResources.field_mustache,
        "field-foot": PackageResources.field_foot_mustache,
        "confirm": PackageResources.confirm_mustache,
        "settings": PackageResources.settings_mustache,
        "settings-form": PackageResources.settings_form_mustache,
        "settings-credentials": PackageResources.settings_credentials_mustache,
        "settings-attributes": PackageResources.settings_attributes_mustache,
        "settings-centers": PackageResources.settings_centers_mustache,
        "settings-keys": PackageResources.settings_keys_mustache,
        "settings-people": PackageResources.settings_people_mustache,
        "operations": PackageResources.operations_mustache,
        "operations-quarantine": PackageResources.operations_quarantine_mustache,
        "operations-audit": PackageResources.operations_audit_mustache,
        "operations-people": PackageResources.operations_people_mustache,
        "operations-person": PackageResources.operations_person_mustache,
    ].mapValues(PageSources.text)
}

/// The files of the folder `Assets`.
enum AssetSources {
    static let all: [String: [UInt8]] = [
        "console.css": PackageResources.console_css,
        "console.js": PackageResources.console_js,
        "parts.js": PackageResources.parts_js,
        "compose.js": PackageResources.compose_js,
        "palette.js": PackageResources.palette_js,
        "keys.js": PackageResources.keys_js,
        "leaving.js": PackageResources.leaving_js,
        "tables.js": PackageResources.tables_js,
        "live.js": PackageResources.live_js,
        "belfry.svg": PackageResources.belfry_svg,
    ]
}
