import Configuration
import Logging
import Messages
import Regions

extension Settings {
    /// The regions that requests registered in an earlier process; none where requests are not answered any more, since
    /// nobody could end their monitoring. Their records stay for the day when they are again.
    package func requestedRegions(_ definitions: [RegionDefinition], logger: Logger) -> [BeaconRegion] {
        guard commands.isEnabled else { return [] }
        var regions: [BeaconRegion] = []
        for definition in definitions {
            do throws(ConfigurationErrors) {
                regions.append(try region(definition))
            } catch {
                logger.warning("a region that a request had registered is left out: \(error)")
            }
        }
        return regions
    }
}
