// The functions our SQL needs beyond what PostgreSQL brings: the database's clock, and sets of places in a block, united and diminished in the
// statement that changes them. Byte for byte what lib/block-members.ts makes of them.
import { sql } from 'kysely';
import type { Tx } from '../database.ts';

/** Of a bitmap; a list is always shorter. */
const bitmapBytes = sql.lit(512);

export async function addFunctions(tx: Tx): Promise<void> {
  await sql`create or replace function clock_ms() returns bigint
    language sql volatile parallel safe as $$
      select (extract(epoch from clock_timestamp()) * 1000)::bigint
    $$`.execute(tx);
  await sql`create or replace function place_members(place bigint) returns bytea
    language sql immutable strict parallel safe as $$
      select set_byte(set_byte('\\x0000'::bytea, 0, (place & 255)::int), 1, (place >> 8)::int)
    $$`.execute(tx);
  await sql`create or replace function member_at(members bytea, index int) returns int
    language sql immutable strict parallel safe as $$
      select get_byte(members, 2 * index) + 256 * get_byte(members, 2 * index + 1)
    $$`.execute(tx);
  await sql`create or replace function members_as_bitmap(members bytea) returns bytea
    language plpgsql immutable strict parallel safe as $$
    declare
      bitmap bytea := decode(repeat('00', ${bitmapBytes}), 'hex');
    begin
      if length(members) = ${bitmapBytes} then return members; end if;
      for index in 0 .. length(members) / 2 - 1 loop
        bitmap := set_bit(bitmap, member_at(members, index), 1);
      end loop;
      return bitmap;
    end $$`.execute(tx);
  await sql`create or replace function bitmap_as_members(bitmap bytea) returns bytea
    language plpgsql immutable strict parallel safe as $$
    begin
      if bit_count(bitmap) * 2 >= ${bitmapBytes} then return bitmap; end if;
      return coalesce((select string_agg(place_members(place), ''::bytea order by place)
        from generate_series(0, ${bitmapBytes} * 8 - 1) as place where get_bit(bitmap, place) = 1), ''::bytea);
    end $$`.execute(tx);
  await sql`create or replace function united_members(members bytea, other bytea) returns bytea
    language plpgsql immutable strict parallel safe as $$
    declare
      bitmap bytea;
    begin
      -- By far the most frequent: one place is added, the highest so far.
      if length(other) = 2 and length(members) < ${bitmapBytes} - 2 and (length(members) = 0
          or member_at(members, length(members) / 2 - 1) < member_at(other, 0)) then
        return members || other;
      end if;
      bitmap := members_as_bitmap(members);
      if length(other) = ${bitmapBytes} then
        for index in 0 .. ${bitmapBytes} - 1 loop
          bitmap := set_byte(bitmap, index, get_byte(bitmap, index) | get_byte(other, index));
        end loop;
      else
        for index in 0 .. length(other) / 2 - 1 loop
          bitmap := set_bit(bitmap, member_at(other, index), 1);
        end loop;
      end if;
      return bitmap_as_members(bitmap);
    end $$`.execute(tx);
  await sql`create or replace function members_without(members bytea, other bytea) returns bytea
    language plpgsql immutable strict parallel safe as $$
    declare
      bitmap bytea := members_as_bitmap(members);
    begin
      if length(other) = ${bitmapBytes} then
        for index in 0 .. ${bitmapBytes} - 1 loop
          bitmap := set_byte(bitmap, index, get_byte(bitmap, index) & (255 - get_byte(other, index)));
        end loop;
      else
        for index in 0 .. length(other) / 2 - 1 loop
          bitmap := set_bit(bitmap, member_at(other, index), 0);
        end loop;
      end if;
      return bitmap_as_members(bitmap);
    end $$`.execute(tx);
}
