/// An opening of the app no longer changes `updated_at`, so in-app audiences that use openings are evaluated at each
/// sync. Whether an app has one is stored with the next change of one of its in-app campaigns; until then it is
/// assumed.
enum Version09InAppOpenings {
    static let migration = Migration(version: 9) { _ in ["UPDATE in_app_clocks SET volatile = 1"] }
}
