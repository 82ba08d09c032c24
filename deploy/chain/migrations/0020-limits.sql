-- What would break figures of others is refused where it comes in. The contract's names have 128 octets at most; an index entry may have 2,704.

ALTER TABLE beacons.event ADD CONSTRAINT event_names CHECK (
    octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128 AND octet_length(zone) <= 128) NOT VALID;
ALTER TABLE beacons.region_gateway ADD CONSTRAINT region_gateway_names CHECK (
    octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128) NOT VALID;

-- A range of numbers ends before the next one, and the largest number has none.
CREATE OR REPLACE VIEW beacons.missing AS
SELECT g.site, g.gateway, n.epoch, lower(hole) AS from_seq, upper(hole) - 1 AS to_seq
FROM (SELECT gateway_id, epoch, range_agg(seqs) AS seqs FROM beacons.number GROUP BY gateway_id, epoch) n
JOIN beacons.gateway g ON g.id = n.gateway_id
CROSS JOIN LATERAL unnest(
    int8multirange(range_merge(n.seqs)) - n.seqs - coalesce(
        (SELECT range_agg(int8range(gap.from_seq, least(gap.to_seq, 9223372036854775806), '[]')) FROM beacons.gap
         WHERE gap.site = g.site AND gap.gateway = g.gateway AND gap.epoch = n.epoch AND gap.counts = 'seq'
         AND gap.from_seq <= least(gap.to_seq, 9223372036854775806)), '{}')) hole;
