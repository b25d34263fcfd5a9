/// An opening of the app no longer moves `updated_at`, so in-app audiences that ask for openings are looked at each
/// time. Whether an app has one is settled when one of its in-app campaigns changes next; until then it counts as so.
enum Version09InAppOpenings {
    static let migration = Migration(version: 9) { _ in ["UPDATE in_app_clocks SET volatile = 1"] }
}
