/// From this version on, dead devices are moved out of the tables of devices in use (FLEET-2). No table changes. The
/// number ensures that no program of version 25 starts on the database any more (FLEET-1): such a program would not
/// find a moved device, and would make another one in its place. Therefore version 26, which made the dormant table,
/// only reads it.
enum Version27MovedDevices {
    static let migration = Migration(version: 27) { _ in [] }
}
